"""What the JVM and its library use by name. Source: the Java Object Serialization Specification; JLS 12.1.4; the Kotlin
language specification, operator conventions."""

from codemap.languages.liveness import Liveness

LIVENESS = Liveness(
    runtime_names=r"serialVersionUID|serialPersistentFields|readObject|writeObject|readResolve|writeReplace|readObjectNoData|Companion",
    unnamed_calls=r"toString|hashCode|equals|compareTo|close|finalize",
    contract_names=r"finalize|valueOf|values|premain|agentmain|copy|component\d+|get[A-Z]\w*|set[A-Z]\w*|is[A-Z]\w*|provideDelegate|invoke",
    plain_decorators=frozenset(
        (
            *(
                "Override",
                "Deprecated",
                "SuppressWarnings",
                "SafeVarargs",
                "FunctionalInterface",
                "Nullable",
                "NonNull",
            ),
            *(
                "NotNull",
                "Nonnull",
                "CheckReturnValue",
                "CanIgnoreReturnValue",
                "VisibleForTesting",
                "JvmStatic",
                "Suppress",
            ),
            *(
                "JvmField",
                "JvmOverloads",
                "JvmName",
                "Throws",
                "Beta",
                "GwtCompatible",
                "GwtIncompatible",
                "J2ktIncompatible",
            ),
        )
    ),
    loaded_paths=r"\.kts\Z",
    loaded_names=r".*",
    computed_names=r"\b(?:getDeclaredMethod|getMethod|getDeclaredField|getField|forName|findVirtual|findStatic|newUpdater)\b",
)
