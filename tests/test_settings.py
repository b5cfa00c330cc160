"""Settings: who wins, and what a wrong one is told."""

from __future__ import annotations

import msgspec
import pytest

from codemap.settings import (
    KEYS_MAX,
    SERVING,
    BadSetting,
    Configured,
    Settings,
    SettingsFile,
    all_settings,
    programs_of,
    settings_from,
)

OWN, PROJECT = "codemap.toml", "[tool.codemap] in pyproject.toml"


def test_defaults() -> None:
    assert settings_from() == Configured(Settings())


def test_every_default_is_within_its_own_bounds() -> None:
    values = msgspec.to_builtins(Settings())
    assert settings_from(flags=values).settings == Settings()


def test_every_setting_says_what_it_is() -> None:
    assert [setting.name for setting in all_settings()] == list(Settings.__struct_fields__)
    for setting in all_settings():
        assert setting.description.endswith(".")
        assert setting.unit or setting.choices
        assert setting.kind in (int, float, str, tuple)
        if setting.kind in (int, float):
            assert setting.low is not None
            assert setting.high is not None


def test_flags_win_over_environment_over_own_file_over_project_file() -> None:
    names = ["token_budget", "watch_quiet_ms", "fresh_wait_ms", "watch_wait_ms"]
    project = SettingsFile(PROJECT, dict.fromkeys(names, 101))
    own = SettingsFile(OWN, {"token-budget": 102, "watch_quiet_ms": 102, "fresh_wait_ms": 102})
    environment = {"CODEMAP_TOKEN_BUDGET": "103", "CODEMAP_WATCH_QUIET_MS": "103", "HOME": "/home/x"}
    flags = {"token_budget": 104, "watch_quiet_ms": None}
    configured = settings_from(files=[own, project], environment=environment, flags=flags)
    assert [getattr(configured.settings, name) for name in names] == [104, 103, 102, 101]
    assert [configured.sources[name] for name in names] == ["--token-budget", "CODEMAP_WATCH_QUIET_MS", OWN, PROJECT]


def test_texts_are_read() -> None:
    environment = {"CODEMAP_EXCLUDE": "a/, *.gen.ts ,", "CODEMAP_FILE_TIMEOUT_S": "2.5", "CODEMAP_LOG_LEVEL": "debug"}
    settings = settings_from(environment=environment, flags={"include": ("src",), "workers": "3", "root": "x"}).settings
    assert settings.exclude == ("a/", "*.gen.ts")
    assert settings.file_timeout_s == 2.5
    assert settings.log_level == "debug"
    assert (settings.include, settings.workers, settings.root) == (("src",), 3, "x")


BAD_FILES = {
    "token_budgt": (5, "codemap.toml has an unknown setting 'token_budgt'; the nearest known is token_budget."),
    "token_budget": (
        99,
        "token_budget in codemap.toml is 99: it must be a whole number of tokens from 100 to 10000.",
    ),
    "fresh_wait_ms": (
        True,
        "fresh_wait_ms in codemap.toml is True: it must be a whole number of milliseconds from 0 to 5000 (5 s).",
    ),
    "file_timeout_s": (
        float("nan"),
        "file_timeout_s in codemap.toml is nan: it must be a number of seconds from 0.1 to 600 (10 min).",
    ),
    "requests_max": (
        2.0,
        "requests_max in codemap.toml is 2.0: it must be a whole number of requests from 1 to 10000.",
    ),
    "file_max_bytes": (
        "10",
        "file_max_bytes in codemap.toml is '10': "
        "it must be a whole number of bytes from 1024 (1 KiB) to 268435456 (256 MiB).",
    ),
    "envelope": (
        "nativ",
        "envelope in codemap.toml is 'nativ'; the nearest known is native: it must be one of native, ctxo, scalpel.",
    ),
    "exclude": (
        "a",
        "exclude in codemap.toml is 'a': it must be a list of patterns, in the environment separated by commas.",
    ),
    "include": (
        [1],
        "include in codemap.toml is [1]: it must be a list of patterns, in the environment separated by commas.",
    ),
    "languages": (
        ["pyt"],
        "The setting languages names an unknown language 'pyt'; the nearest known is py: known are py.",
    ),
    "root": (
        "x",
        "codemap.toml sets 'root', which only --root or CODEMAP_ROOT can: the file is found through it.",
    ),
    "poll_s": (
        10**400,
        "poll_s in codemap.toml is a number of more digits: it must be a number of seconds from 0.1 to 3600 (1 h).",
    ),
    "watch_wait_ms": (
        "x" * 1000,
        f"watch_wait_ms in codemap.toml is '{'x' * 78}…: "
        "it must be a whole number of milliseconds from 0 to 60000 (60 s).",
    ),
}


@pytest.mark.parametrize("key", BAD_FILES)
def test_what_a_file_gets_wrong_is_ignored_and_named(key: str) -> None:
    value, sentence = BAD_FILES[key]
    files = [SettingsFile(OWN, {key: value, "watch_quiet_ms": 7}), SettingsFile(PROJECT, {"watch_quiet_ms": -1})]
    configured = settings_from(files=files, languages=["py"])
    assert configured.settings == Settings(watch_quiet_ms=7)
    assert configured.ignored == (
        "watch_quiet_ms in [tool.codemap] in pyproject.toml is -1: "
        "it must be a whole number of milliseconds from 0 to 60000 (60 s).",
        sentence,
    )


def test_a_file_cannot_name_more_than_there_is() -> None:
    configured = settings_from(files=[SettingsFile(OWN, {f"key{number}": 1 for number in range(KEYS_MAX + 1)})])
    assert configured.ignored == ("codemap.toml has more than 100 settings, of which none counts.",)


CEILINGS = {
    "reply_max_bytes": 40_000,
    "token_budget": 4000,
    "fresh_wait_ms": 1000,
    "file_max_bytes": 4 * 1024 * 1024,
    "file_timeout_s": 10,
    "watch_quiet_ms": 1000,
    "watch_wait_ms": 5000,
    "poll_s": 60,
    "requests_max": 64,
    "store_max_mb": 4000,
}
FREE = {"envelope", "rows", "limits", "include", "exclude", "include_generated", "languages", "live", "verify"}
USERS = {
    "edits",
    "facts_key_file",
    "facts_push",
    "facts_remote",
    "facts_share",
    "facts_trusted",
    "root",
    "reports",
    "watch",
    "workers",
    "workers_checkout",
    "store",
    "store_dir",
    "memory_mb",
    "server_memory_mb",
    "server_programs",
    "trust_repository",
}


def test_every_setting_says_what_a_repository_may_make_of_it() -> None:
    """The whole table: a new setting has its place in it."""
    settings = {setting.name: setting.repository for setting in all_settings()}
    assert {name: one.most for name, one in settings.items() if one.most is not None} == CEILINGS
    assert {name for name, one in settings.items() if one.why_not} == USERS | {"log_level"} | SERVING
    assert settings.keys() == CEILINGS.keys() | FREE | USERS | {"log_level"} | SERVING


@pytest.mark.parametrize("name", CEILINGS)
def test_beyond_a_ceiling_a_setting_is_the_users_alone(name: str) -> None:
    most = CEILINGS[name]
    assert getattr(settings_from(files=[SettingsFile(OWN, {name: most})]).settings, name) == most
    beyond = settings_from(files=[SettingsFile(OWN, {name: most + 1})])
    assert beyond.settings == Settings()
    assert f"{name} in codemap.toml is {most + 1}: a repository may set at most {most}" in beyond.ignored[0]
    assert beyond.ignored[0].endswith(f"more is for --{name.replace('_', '-')} or CODEMAP_{name.upper()}.")
    assert getattr(settings_from(flags={name: most + 1}).settings, name) == most + 1


@pytest.mark.parametrize(("name", "value", "may"), [("live", "on", "off"), ("verify", "on", "off or auto")])
def test_a_repository_may_have_less_done_and_no_more(name: str, value: str, may: str) -> None:
    configured = settings_from(files=[SettingsFile(OWN, {name: value})], flags={name: "off"})
    assert getattr(configured.settings, name) == "off"
    assert f"is '{value}': a repository may set {may};" in configured.ignored[0]


@pytest.mark.parametrize(
    ("variable", "text", "sentence"),
    [
        ("CODEMAP_WORKER", "1", "unknown setting CODEMAP_WORKER; the nearest known is CODEMAP_WORKERS."),
        ("CODEMAP_WORKERS", "many", "The variable CODEMAP_WORKERS is 'many': it must be a whole number of processes"),
        ("CODEMAP_FILE_TIMEOUT_S", "inf", "The variable CODEMAP_FILE_TIMEOUT_S is inf: it must be a number of seconds"),
        (
            "CODEMAP_ENVELOPE",
            "nativ",
            "is 'nativ'; the nearest known is native: it must be one of native, ctxo, scalpel.",
        ),
    ],
)
def test_a_bad_variable(variable: str, text: str, sentence: str) -> None:
    with pytest.raises(BadSetting) as caught:
        settings_from(environment={variable: text})
    assert sentence in str(caught.value)


def test_an_unknown_name_without_a_near_one_lists_the_known() -> None:
    assert "known are envelope, rows, limits" in settings_from(files=[SettingsFile(OWN, {"qqqq": 1})]).ignored[0]


def test_a_bad_flag() -> None:
    with pytest.raises(BadSetting, match="The flag --token-budget is 5:"):
        settings_from(flags={"token_budget": "5"})
    with pytest.raises(BadSetting, match="no flag --worker; the nearest known is --workers"):
        settings_from(flags={"worker": "5"})


def test_an_unknown_language() -> None:
    with pytest.raises(BadSetting, match="unknown language 'pyt'; the nearest known is py: known are py, ts"):
        settings_from(flags={"languages": ["pyt"]}, languages=["ts", "py"])
    assert settings_from(flags={"languages": ["py"]}, languages=["ts", "py"]).settings.languages == ("py",)


def test_programs_of_language_servers_are_names_with_paths() -> None:
    flags = {"server_programs": "ty=/opt/ty, python=/usr/bin/python3=x"}
    settings = settings_from(flags=flags, programs={"ty", "python"})
    assert programs_of(settings.settings) == {"ty": "/opt/ty", "python": "/usr/bin/python3=x"}


@pytest.mark.parametrize("pair", ["ty", "ty=", "=/x", "ty=ty", "ty=./ty"])
def test_a_program_without_a_name_or_an_absolute_path_is_refused(pair: str) -> None:
    with pytest.raises(BadSetting, match="it must be a name and an absolute path, as in ty=/opt/ty/bin/ty"):
        settings_from(flags={"server_programs": pair})


def test_an_unknown_program_is_reported_with_the_known() -> None:
    with pytest.raises(BadSetting) as refused:
        settings_from(environment={"CODEMAP_SERVER_PROGRAMS": "clang=/x"}, programs={"ty", "clangd"})
    assert str(refused.value) == ("The setting server_programs names an unknown program 'clang': known are clangd, ty.")


@pytest.mark.parametrize("name", sorted(USERS - {"root"}))
def test_a_repository_does_not_choose_what_is_the_users(name: str) -> None:
    configured = settings_from(files=[SettingsFile(OWN, {name: "on"})])
    assert configured.settings == Settings()
    assert "a repository may not choose" in configured.ignored[0]
