"""Traps for tools beside Python: files in which a repository says what is to be run when somebody builds, formats,
tests, or only looks at it with a language server.
"""

from __future__ import annotations

import json

from tests.system.traps.planted import Mark


def plant_tools(mark: Mark) -> None:
    _plant_node(mark)
    _plant_c(mark)
    _plant_go(mark)
    _plant_rust(mark)
    _plant_jvm(mark)
    _plant_others(mark)
    _plant_settings(mark)


def _plant_settings(mark: Mark) -> None:
    """What a repository may not say of codemap itself; all of it is ignored, and named."""
    mark.write(
        "codemap.toml",
        f'trust_repository = "on"\nserver_programs = ["ty={mark.root}/bin/ty", "git={mark.root}/bin/git"]\n'
        f'store_dir = "{mark.root}/store"\ntoken_file = "{mark.root}/tokens"\nhttp = "127.0.0.1:0"\n'
        'websocket = "127.0.0.1:0"\nshare = "off"\nlinger_s = 86400\n',
    )


def _plant_node(mark: Mark) -> None:
    trap = str(mark.program("traps/npm-script"))
    scripts = dict.fromkeys(
        ("preinstall", "install", "postinstall", "prepare", "prepublish", "build", "test", "start"), trap
    )
    manifest = {"name": "traps", "main": "evil.js", "scripts": scripts, "dependencies": {"lodash": "4"}}
    mark.write("package.json", json.dumps({**manifest, "packageManager": "yarn@4.0.0", "workspaces": ["packages/*"]}))
    plugins = [{"name": "plugin"}, {"name": "./evil.js"}, {"transform": "./evil.js"}]
    mark.write("tsconfig.json", json.dumps({"compilerOptions": {"plugins": plugins, "types": ["node"]}}))
    mark.write("jsconfig.json", json.dumps({"compilerOptions": {"plugins": plugins}}))
    mark.write("node_modules/typescript/package.json", '{"name": "typescript", "version": "5.9.3"}')
    mark.write("node_modules/plugin/package.json", '{"name": "plugin", "main": "index.js"}')
    for script in (
        *("evil.js", "node_modules/plugin/index.js", "node_modules/typescript/lib/tsserver.js"),
        *("node_modules/typescript/lib/tsc.js", "node_modules/typescript/lib/typescript.js"),
        *(".yarn/sdks/typescript/lib/tsserver.js", ".yarn/releases/yarn-4.0.0.cjs", ".pnp.cjs", ".pnp.loader.mjs"),
        *("node_modules/basedpyright/index.js", "node_modules/pyright/index.js", "node_modules/intelephense/index.js"),
        *("eslint.config.js", ".eslintrc.js", "prettier.config.js", "babel.config.js", "vite.config.js"),
        *("jest.config.js", "webpack.config.js", "gulpfile.js", "Gruntfile.js", ".mocharc.js", ".pnpmfile.cjs"),
    ):
        mark.script(script)
    mark.write(".npmrc", f"script-shell={trap}\nnode-options=--require {mark.root}/evil.js\nprefix=.\n")
    mark.write(".yarnrc.yml", "yarnPath: .yarn/releases/yarn-4.0.0.cjs\nplugins:\n  - ./evil.js\n")
    mark.write(".nvmrc", "../../bin/node\n")
    mark.write(".node-version", "../../bin/node\n")
    mark.write("deno.json", '{"tasks": {"dev": "./evil.js"}, "importMap": "./evil.js"}')


def _plant_c(mark: Mark) -> None:
    trap = mark.program("traps/compiler")
    mark.write("compile_flags.txt", f"-fplugin={mark.root}/evil.so\n-Xclang\n-load\n-Xclang\n{mark.root}/evil.so\n")
    mark.write(
        "projects/native/compile_commands.json",
        json.dumps(
            [
                {
                    "directory": f"{mark.root}/projects/native",
                    "file": "hello.c",
                    "arguments": [str(trap), f"-fplugin={mark.root}/evil.so", "-wrapper", str(trap), "-c", "hello.c"],
                }
            ]
        ),
    )
    mark.write(
        "projects/native/hello.c", "int hello(int a) { return a; }\nint twice(int a) { return hello(a) + hello(a); }\n"
    )
    mark.write(
        "projects/native/hello.cpp",
        "struct Greeter { int hello() { return 1; } };\nint use() { return Greeter().hello(); }\n",
    )
    mark.write(
        ".clangd",
        f"CompileFlags:\n  Compiler: {trap}\n  CompilationDatabase: projects/native\n"
        f"  Add: [-fplugin={mark.root}/evil.so]\n  BuiltinHeaders: QueryDriver\n"
        f"Index:\n  External:\n    Server: 127.0.0.1:50051\n    MountPoint: {mark.root}\n",
    )
    mark.write(".clang-tidy", "Checks: '*'\n")
    mark.write("Makefile", f"all:\n\t{trap}\n$(shell {trap})\n")
    mark.write("CMakeLists.txt", f"execute_process(COMMAND {trap})\n")
    mark.write("evil.so", "\x7fELF")


def _plant_go(mark: Mark) -> None:
    trap = mark.program("traps/go-tool")
    mark.write("projects/golang/go.mod", "module example.org/traps\n\ngo 1.19\n")
    mark.write("go.work", "go 1.19\n\nuse ./projects/golang\n")
    mark.write(
        "projects/golang/hello.go",
        f"package traps\n\n//go:generate {trap}\n\nfunc Hello() int {{ return 1 }}\n\n"
        "func Twice() int { return Hello() + Hello() }\n",
    )
    mark.write(
        "projects/golang/native.go",
        f'package traps\n\n// #cgo pkg-config: traps\n// #cgo CFLAGS: -fplugin={mark.root}/evil.so\nimport "C"\n',
    )
    mark.write("projects/golang/go.env", f"GOFLAGS=-toolexec={trap}\nCC={trap}\nGOTOOLCHAIN=path\n")
    mark.write(
        "projects/toolchain/go.mod",
        "module example.org/newer\n\ngo 1.99\n\ntoolchain go1.99.0\n\nrequire example.org/elsewhere v1.2.3\n",
    )
    mark.write("projects/toolchain/go.work", "go 1.99\n\ntoolchain go1.99.0\n\nuse .\n")
    mark.write("projects/toolchain/newer.go", "package newer\n\nfunc Newer() int { return 1 }\n")


def _plant_rust(mark: Mark) -> None:
    trap = str(mark.program("traps/rust-tool"))
    mark.write(
        "projects/rust/Cargo.toml",
        '[package]\nname = "traps"\nversion = "0.1.0"\nedition = "2021"\nbuild = "build.rs"\n'
        "[lib]\nproc-macro = true\n",
    )
    spring = f'std::process::Command::new("{trap}").status().ok();'
    mark.write("projects/rust/build.rs", f"fn main() {{ {spring} }}\n")
    mark.write("projects/rust/src/lib.rs", "pub fn hello() -> u8 { 1 }\npub fn twice() -> u8 { hello() + hello() }\n")
    mark.write(
        "projects/rust/.cargo/config.toml",
        f'[build]\nrustc = "{trap}"\nrustc-wrapper = "{trap}"\nrustdoc = "{trap}"\n[target.x86_64-unknown-linux-gnu]\n'
        f'linker = "{trap}"\nrunner = "{trap}"\n[alias]\ncheck = "run"\n[registry]\n'
        f'global-credential-providers = ["{trap}"]\n',
    )
    mark.write("rust-toolchain.toml", '[toolchain]\npath = "traps/toolchain"\n')
    for name in ("rustc", "cargo", "rust-analyzer", "rustfmt", "rust-analyzer-proc-macro-srv"):
        mark.program(f"traps/toolchain/bin/{name}")
    mark.write("projects/rust/rust-project.json", json.dumps({"sysroot": f"{mark.root}/traps/toolchain", "crates": []}))


def _plant_jvm(mark: Mark) -> None:
    trap = mark.program("traps/jvm-tool")
    run = f'["{trap}"].execute()'
    mark.write("projects/java/build.gradle", f"{run}\nplugins {{ id 'java' }}\n")
    mark.write("projects/java/settings.gradle", f"{run}\n")
    mark.write("projects/java/init.gradle", f"{run}\n")
    mark.write("projects/java/gradle.properties", f"org.gradle.java.home={mark.root}/traps/jdk\n")
    mark.write(
        "projects/java/gradle/wrapper/gradle-wrapper.properties", "distributionUrl=file:///nonexistent/gradle.zip\n"
    )
    mark.write(
        "projects/java/src/main/java/Hello.java",
        "class Hello { int hello() { return 1; } int twice() { return hello(); } }\n",
    )
    mark.write("projects/java/src/main/kotlin/Hello.kt", "fun hello() = 1\nfun twice() = hello() + hello()\n")
    mark.write(
        "projects/java/pom.xml",
        "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId><version>1</version>"
        "<build><plugins><plugin><groupId>org.codehaus.mojo</groupId><artifactId>exec-maven-plugin</artifactId>"
        f"<configuration><executable>{trap}</executable></configuration></plugin></plugins></build></project>\n",
    )
    mark.write(".mvn/jvm.config", f"-javaagent:{mark.root}/evil.jar\n")
    mark.write(".mvn/extensions.xml", "<extensions/>\n")
    mark.program("traps/jdk/bin/java")
    for name in ("projects/java/gradlew", "projects/java/mvnw"):
        mark.program(name)
    mark.write(
        ".settings/org.eclipse.jdt.core.prefs", f"org.eclipse.jdt.core.compiler.annotationProcessorPath={mark.root}\n"
    )


def _plant_others(mark: Mark) -> None:
    trap = mark.program("traps/other-tool")
    mark.write("projects/ruby/Gemfile", f"system({str(trap)!r})\nsource 'https://rubygems.org'\n")
    mark.write("projects/ruby/traps.gemspec", f"system({str(trap)!r})\n")
    mark.write("projects/ruby/Rakefile", f"system({str(trap)!r})\n")
    mark.write("projects/ruby/.solargraph.yml", "plugins:\n- ../../traps/other-tool\nrequire:\n- ./evil\n")
    mark.write("projects/ruby/hello.rb", "def hello\n  1\nend\n\ndef twice\n  hello + hello\nend\n")
    mark.write(
        "projects/php/composer.json",
        json.dumps({"scripts": {"post-install-cmd": str(trap)}, "config": {"bin-dir": "."}}),
    )
    mark.write("projects/php/.phpactor.json", json.dumps({"language_server_phpstan.bin": str(trap)}))
    mark.write(
        "projects/php/hello.php",
        "<?php\nfunction hello() { return 1; }\nfunction twice() { return hello() + hello(); }\n",
    )
    mark.write(
        "projects/dotnet/Traps.csproj", f'<Project><Target Name="T"><Exec Command="{trap}"/></Target></Project>\n'
    )
    mark.write(
        "projects/dotnet/Directory.Build.props",
        f'<Project><Target Name="T"><Exec Command="{trap}"/></Target></Project>\n',
    )
    mark.write("projects/dotnet/Hello.cs", "class Hello { int A() => 1; int B() => A() + A(); }\n")
    mark.write("projects/dotnet/global.json", '{"sdk": {"paths": ["../../traps/dotnet"]}}\n')
    mark.write(".envrc", f"{trap}\n")
    mark.write(".env", f"PYTHONPATH={mark.root}\nPATH={mark.root}/bin\nNODE_OPTIONS=--require={mark.root}/evil.js\n")
    mark.write(".tool-versions", f"python path:{mark.root}\nnodejs path:{mark.root}\nrust path:{mark.root}\n")
    mark.write("mise.toml", f'[env]\n_.source = "{trap}"\n[hooks]\nenter = "{trap}"\n')
    mark.write(".python-version", "../../bin\n")
    mark.write(".ruby-version", "../../bin\n")
    mark.write(
        ".vscode/settings.json", json.dumps({"python.defaultInterpreterPath": str(trap), "clangd.path": str(trap)})
    )
    mark.write(
        ".vscode/tasks.json", json.dumps({"tasks": [{"command": str(trap), "runOptions": {"runOn": "folderOpen"}}]})
    )
    mark.write(".editorconfig", "root = true\n[*]\nend_of_line = lf\n")
    mark.write(".ripgreprc", f"--pre={trap}\n--hostname-bin={trap}\n")
    mark.write(".pre-commit-config.yaml", f"repos:\n- repo: local\n  hooks:\n  - id: x\n    entry: {trap}\n")
    mark.write(".mcp.json", json.dumps({"mcpServers": {"x": {"command": str(trap)}}}))
