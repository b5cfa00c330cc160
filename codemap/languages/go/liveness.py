"""What Go, its library and tools use by name. Source: the Go specification, "Program execution"; `cmd/go`, internal
packages; `cmd/cgo`, exported functions; `cmd/compile`, linkname."""

from codemap.languages.liveness import Liveness

LIVENESS = Liveness(
    program_packages=frozenset({"main"}),
    private_paths=r"(?:\A|/)internal/",
    runtime_names=r"main|init|_|Test\w*|Benchmark\w*|Example\w*|Fuzz\w*",
    unnamed_calls=r"init",
    contract_names=(
        r"String|GoString|Error|Unwrap|Is|As|Format|Scan|Len|Less|Swap|Push|Pop|Read|Write|Close|Seek|ReadFrom|WriteTo|ReadAt|WriteAt"
        r"|ReadByte|UnreadByte|WriteByte|ReadRune|WriteString|ServeHTTP|RoundTrip|Lock|Unlock|Value|Timeout|Temporary|Set"
        r"|(?:Unm|M)arshal\w*|Gob(?:En|De)code|Done|Err|Deadline|Addr|Network|Name|Size|Mode|ModTime|IsDir|Sys|Open|Stat|Type"
    ),
    computed_names=r"\breflect\.|MethodByName|FieldByName|\bplugin\.|\btemplate\.",
    comment_names=r"(?m)^//(?:export|go:linkname)\s+(\w+)",
)
