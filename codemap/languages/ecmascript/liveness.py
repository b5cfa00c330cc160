"""What JavaScript, its hosts and tools use by name. Source: ECMA-262, well-known properties; the documentation of
Node.js, of bundlers and test runners for their configuration files; of Next.js, Nuxt, SvelteKit and Astro for
routes, and for files that they load by name; of Gatsby ("Gatsby Project Structure"), Remix, Create React App, Ember."""

from codemap.languages.liveness import Liveness, Publicity

LIVENESS = Liveness(
    publicity=Publicity.ENTRIES,
    unpublished=r"\"private\"\s*:\s*true",
    private_names=r"[#_].*",
    private_signatures=r"\bprivate\b",
    runtime_names=(
        r"constructor|\[.*|IntrinsicElements|ElementType|ElementClass|ElementAttributesProperty|ElementChildrenAttribute"
        r"|IntrinsicAttributes|IntrinsicClassAttributes|LibraryManagedAttributes"
    ),
    unnamed_calls=r"\[.*",
    contract_names=(
        r"toString|toJSON|valueOf|toLocaleString|inspect|then|catch|finally|next|return|throw|handleEvent|render|default"
        r"|(?:connected|disconnected|adopted|attributeChanged|form\w+)Callback|observedAttributes|ng[A-Z]\w+"
        r"|_(?:read|write|writev|transform|flush|final|destroy|construct)|get[A-Z]\w*Props|visit\w+|on[A-Z]\w*"
    ),
    loads_files=True,
    program_mark="",
    loaded_paths=(
        r"\.d\.[cm]?ts\Z|\.(?:config|conf|setup|stories|story|worker)\.[cm]?[jt]sx?\Z|(?:\A|/)\.[^/]+\Z|(?:\A|/)\.[^/]+/|(?:\A|/)(?:bin|scripts?|tools?|tasks?|build)/"
        r"|(?:\A|/)(?:[Gg]ulpfile|[Gg]runtfile|rollup|webpack|vite|karma|server|middleware|instrumentation(?:-client)?"
        r"|sw|service-worker|build|gatsby-(?:browser|config|node|ssr)|(?:hooks\.|entry[.-])(?:client|server)|setupTests"
        r"|jest[.-]\w+|ember-cli-build|testem)(?:\.[\w-]+)*\.[cm]?[jt]sx?\Z"
        r"|\A(?:src/)?proxy\.[jt]s\Z|(?:\A|/)(?:pages|app|routes|api|functions|migrations|seeds?|seeders)/"
    ),
    loaded_names=r".*",
    imports_whole=True,
    destructures=True,
    names_values=True,
    bound_signatures=r"\A(?:const|let|var)\b",
    computed_names=r"\[[^\]\n]*(?:\+|\$\{)|\beval\b|\bReflect\.|\brequire\(\s*[^\"'`\s)]|\bimport\(\s*[^\"'`\s)]",
    computed_members=r"\bthis\[(?!\s*(?:[\"'`]|Symbol\b|\d))",
)
