"""What files are there for, by paths of well-known repositories."""

from __future__ import annotations

import numpy as np
import pytest

from codemap.file_roles import ROLE_NAMES, Role, role_of
from codemap.graph.build.build import build_snapshot
from codemap.graph.index.node_roles import FILE_ROLES, role_of_node, role_of_row, roles_of_nodes
from tests.graph.test_incremental import run

PATHS = {
    Role.PRODUCT: """
        django/test/client.py django/db/models/query.py src/flask/testing.py celery/contrib/testing/worker.py
        numpy/testing/_private/utils.py fastapi/openapi/docs.py sphinx/ext/doctest.py pip/_internal/build_env.py
        packages/core/testing/src/test_bed.ts src/testing/index.ts src/latest/api.ts src/lib/contest.ts
        src/main/java/org/springframework/samples/petclinic/owner/Owner.java
        src/main/java/com/example/demo/DemoApplication.java src/main/java/org/junit/Test.java
        internal/spec/schema.go cmd/latest.go doc/man_docs.go docs/docs.go lib/grape/validations_spec.rb
        pkg/attestation/verify.go
        src/regex/builders.rs lib/rack/test/utils.rb lib/rspec/core.rb kernel/sched/core.c drivers/base/testing.c
        googletest/src/gtest-death-test.cc googletest/test/gtest_env.cc boost/test/unit_test.hpp
        lib/down-sample/filter.py src/Core/Contest.cs app/Http/Controllers/TestController.php
        src/Framework/TestCase.php greatest.py
        src/docs/render.ts src/benchmark/scheduler.rs crates/core/src/benchmarks/run.rs
        lib/dist/x.js src/single_include.ts pkg/fuzz/engine.go src/fuzz.rs
        src/command/arg_min.rs src/array-min.ts
        """,
    Role.TEST: """
        tests/test_basic.py t/unit/app/test_app.py django/contrib/admin/tests.py pkg/sub/tests/helpers.py conftest.py
        test/browser.js packages/zod/src/v4/classic/tests/array.test.ts packages/core/test/util.ts src/a.spec.tsx
        src/__tests__/index.js cypress/e2e/login.cy.ts spec/models/user.rb spec/lib/user_spec.rb
        activerecord/test/cases/base_test.rb
        src/test/java/com/acme/Helper.java app/src/androidTest/java/A.kt core/src/commonTest/kotlin/B.kt AppTest.java
        pkg/server/server_test.go internal/testdata/input.go hack/testutil/fake.go crates/core/tests/it.rs src/tests.rs
        crates/searcher/src/testutil.rs src/test_utils/http.rs
        Serilog.Tests/Core/LoggerTests.cs src/Foo.UnitTests/Helper.cs tools/testing/selftests/bpf/main.c lib/list_test.c
        hiredis/test.c base/files/file_unittest.cc tests/Unit/RouterTest.php
        src/Zip/ZipAdapterTestCase.php my-integration-tests/run.py testing/test_config.py
        googletest/test/googletest-message-test.cc googletest/test/googletest-color-test.py v8/test/api-unittest.cc
        """,
    Role.EXAMPLE: """
        examples/tutorial/flaskr/db.py docs/conf.py docs_src/first_steps/tutorial001.py benchmarks/run.py demo/app.js
        samples/guide/src/main/java/Main.java examples/doc/main.go doc/progs/eff.go
        metrics-benchmarks/src/main/java/com/acme/CounterBenchmark.java
        grpc-examples/Hello.java src/Acme.Samples/Program.cs
        src/Benchmark/FlatteningMapper.cs core/src/jmh/java/io/acme/RingBenchmark.java
        packages/core/examples/basic.ts crates/core/benches/search.rs samples/Basic/Program.cs _examples/rest/main.go
        fuzz/fuzz_targets/parse.rs fuzzers/objects_fuzzer.c crates/core/fuzz/src/lib.rs
        """,
    Role.GENERATED: """
        api/v1/service.pb.go proto/service_pb2.py proto/service_pb2_grpc.pyi pkg/apis/zz_generated.deepcopy.go
        src/generated/client.ts src/schema.generated.ts Forms/Main.Designer.cs dist/index.js packages/a/dist/index.js
        single_include/nlohmann/json.hpp singleheader/simdjson.cpp build/amalgamation/sqlite3.c x_amalgamated.hpp
        static/jquery_min.js
        """,
    Role.VENDORED: """
        vendor/github.com/pkg/errors/errors.go pip/_vendor/requests/api.py third_party/zlib/inflate.c deps/v8/src/api.cc
        extlibs/headers/vulkan/vulkan_core.h src/ext-libs/zlib/zlib.c
        .mvn/wrapper/MavenWrapperDownloader.java
        node_modules/left-pad/index.js vendor/github.com/pkg/errors/errors_test.go src/third-party/x/tests/test_x.py
        """,
}


@pytest.mark.parametrize(("role", "path"), [(role, path) for role, paths in PATHS.items() for path in paths.split()])
def test_the_role_of_a_path(role: Role, path: str) -> None:
    assert role_of(path) is role


RUST = b"""
pub struct Set;
impl Set { pub fn test(&self) {} }
mod parse { mod tests { fn empty() {} } }
#[cfg(test)]
mod owner_parsing { macro_rules! cases { () => {} } fn helper() {} }
#[cfg(all(test, unix))] fn on_unix() {}
#[cfg(any(test, feature = "fakes"))] pub fn fake() {}
#[cfg(not(test))] fn real() {}
#[inline]
/// Finds all.
#[tokio::test(flavor = "multi_thread")]
async fn finds_all() { fn inner() {} }
"""


@pytest.mark.parametrize(
    ("path", "name", "role"),
    [
        ("src/lib.rs", "Set", Role.PRODUCT),
        ("src/lib.rs", "Set.test", Role.PRODUCT),
        ("src/lib.rs", "parse", Role.PRODUCT),
        ("src/lib.rs", "parse.tests.empty", Role.TEST),
        ("src/lib.rs", "owner_parsing", Role.TEST),
        ("src/lib.rs", "owner_parsing.cases!", Role.TEST),
        ("src/lib.rs", "owner_parsing.helper", Role.TEST),
        ("src/lib.rs", "on_unix", Role.TEST),
        ("src/lib.rs", "fake", Role.PRODUCT),
        ("src/lib.rs", "real", Role.PRODUCT),
        ("src/lib.rs", "finds_all", Role.TEST),
        ("src/lib.rs", "finds_all.inner", Role.TEST),
        ("src/lib.rs", "", Role.PRODUCT),
        ("vendor/lib.rs", "parse.tests.empty", Role.VENDORED),
    ],
)
def test_the_role_of_a_definition(path: str, name: str, role: Role) -> None:
    snapshot = build_snapshot({path: RUST})
    node = snapshot.find(f"rs:{path}#{name}" if name else f"rs:{path}")
    assert node is not None
    assert role_of_node(snapshot, node) is role
    assert roles_of_nodes(snapshot, np.array([node], dtype=np.int32)).tolist() == [role]


MADE = (
    b"/* A Bison parser, made by GNU Bison 3.8.2.  */\nint yyparse(void) { return 0; }\n",
    b'#line 2 "src/lexer.c"\n/* A lexical scanner generated by flex */\nint yylex(void) { return 0; }\n',
    b"// Generated from Calc.g4 by ANTLR 4.13\nint visit(void) { return 0; }\n",
)


@pytest.mark.parametrize("source", MADE)
def test_what_says_that_a_generator_made_it_is_generated_wherever_it_is(source: bytes) -> None:
    plain = b"/* Calls the parser that Bison makes. */\nint run(void) { return 1; }\n"
    files = {"src/made.c": source, "src/run.c": plain, "vendor/made.c": source}
    expected = [Role.GENERATED, Role.PRODUCT, Role.VENDORED]
    assert FILE_ROLES.of(build_snapshot(files)).tolist() == expected
    before = run(None, {**files, "src/made.c": plain}, set(), {})
    assert FILE_ROLES.of(before).tolist() == [Role.PRODUCT, Role.PRODUCT, Role.VENDORED]
    after = run(before, {"src/made.c": source}, set(), {})
    assert FILE_ROLES.of(after).tolist() == expected
    assert [role_of_row(file, 1) for file in after.files] == expected


def test_roles_follow_files_that_come_go_and_change() -> None:
    plain = b"int run(void) { return 1; }\n"
    before = run(None, dict.fromkeys(("src/a.c", "src/m.c", "tests/t.c", "vendor/v.c"), plain), set(), {})
    assert FILE_ROLES.of(before).tolist() == [Role.PRODUCT, Role.PRODUCT, Role.TEST, Role.VENDORED]
    edits = {"examples/e.c": plain, "src/m.c": MADE[0], "src/n.c": plain, "tests/t.c": plain + plain}
    after = run(before, edits, {"src/a.c"}, {})
    assert [file.path for file in after.files] == ["examples/e.c", "src/m.c", "src/n.c", "tests/t.c", "vendor/v.c"]
    assert (carried := FILE_ROLES.held_by(after)) is not None
    assert carried.tolist() == [Role.EXAMPLE, Role.GENERATED, Role.PRODUCT, Role.TEST, Role.VENDORED]


def test_each_role_has_a_name() -> None:
    assert len(ROLE_NAMES) == len(set(ROLE_NAMES)) == len(Role)
