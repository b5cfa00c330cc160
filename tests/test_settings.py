"""Settings: who wins, and what a wrong one is told."""

from __future__ import annotations

import msgspec
import pytest

from codemap.settings import BadSetting, Settings, SettingsFile, all_settings, programs_of, settings_from

OWN, PROJECT = "codemap.toml", "[tool.codemap] in pyproject.toml"


def test_defaults() -> None:
    assert settings_from() == Settings()


def test_every_default_is_within_its_own_bounds() -> None:
    values = msgspec.to_builtins(Settings())
    assert settings_from(flags=values) == Settings()


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
    names = ["token_budget", "workers", "fresh_wait_ms", "requests_max"]
    project = SettingsFile(PROJECT, dict.fromkeys(names, 101))
    own = SettingsFile(OWN, {"token-budget": 102, "workers": 102, "fresh_wait_ms": 102})
    environment = {"CODEMAP_TOKEN_BUDGET": "103", "CODEMAP_WORKERS": "103", "HOME": "/home/x"}
    flags = {"token_budget": 104, "workers": None}
    settings = settings_from(files=[own, project], environment=environment, flags=flags)
    assert [getattr(settings, name) for name in names] == [104, 103, 102, 101]


def test_texts_are_read() -> None:
    environment = {"CODEMAP_EXCLUDE": "a/, *.gen.ts ,", "CODEMAP_FILE_TIMEOUT_S": "2.5", "CODEMAP_LOG_LEVEL": "debug"}
    settings = settings_from(environment=environment, flags={"include": ("src",), "workers": "3", "root": "x"})
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
    "workers": (
        True,
        "workers in codemap.toml is True: it must be a whole number of processes from 0 to 256.",
    ),
    "file_timeout_s": (
        float("nan"),
        "file_timeout_s in codemap.toml is nan: it must be a number of seconds from 0.1 to 600.",
    ),
    "requests_max": (
        2.0,
        "requests_max in codemap.toml is 2.0: it must be a whole number of requests from 1 to 10000.",
    ),
    "fresh_wait_ms": (
        "10",
        "fresh_wait_ms in codemap.toml is '10': it must be a whole number of milliseconds from 0 to 5000.",
    ),
    "log_level": (
        "warn",
        "log_level in codemap.toml is 'warn'; the nearest known is warning: "
        "it must be one of debug, info, warning, error.",
    ),
    "exclude": (
        "a",
        "exclude in codemap.toml is 'a': it must be a list of patterns, in the environment separated by commas.",
    ),
    "include": (
        [1],
        "include in codemap.toml is [1]: it must be a list of patterns, in the environment separated by commas.",
    ),
    "root": (
        "x",
        "codemap.toml sets 'root', which only --root or CODEMAP_ROOT can: the file is found through it.",
    ),
}


@pytest.mark.parametrize("key", BAD_FILES)
def test_a_bad_setting_in_a_file(key: str) -> None:
    value, sentence = BAD_FILES[key]
    with pytest.raises(BadSetting) as caught:
        settings_from(files=[SettingsFile(OWN, {key: value})])
    assert str(caught.value) == sentence


def test_a_huge_number_is_out_of_bounds() -> None:
    with pytest.raises(BadSetting, match="from 0 to 256"):
        settings_from(files=[SettingsFile(OWN, {"workers": 10**400})])


def test_a_bad_setting_in_the_weaker_file_is_told_too() -> None:
    with pytest.raises(BadSetting, match=r"workers in \[tool.codemap\] in pyproject.toml is -1"):
        settings_from(files=[SettingsFile(OWN, {"workers": 1}), SettingsFile(PROJECT, {"workers": -1})])


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
    with pytest.raises(BadSetting, match="known are envelope, limits"):
        settings_from(files=[SettingsFile(OWN, {"qqqq": 1})])


def test_a_bad_flag() -> None:
    with pytest.raises(BadSetting, match="The flag --token-budget is 5:"):
        settings_from(flags={"token_budget": "5"})
    with pytest.raises(BadSetting, match="no flag --worker; the nearest known is --workers"):
        settings_from(flags={"worker": "5"})


def test_an_unknown_language() -> None:
    with pytest.raises(BadSetting, match="unknown language 'pyt'; the nearest known is py: known are py, ts"):
        settings_from(flags={"languages": ["pyt"]}, languages=["ts", "py"])
    assert settings_from(flags={"languages": ["py"]}, languages=["ts", "py"]).languages == ("py",)


def test_programs_of_language_servers_are_names_with_paths() -> None:
    flags = {"server_programs": "ty=/opt/ty, python=/usr/bin/python3=x"}
    settings = settings_from(flags=flags, programs={"ty", "python"})
    assert programs_of(settings) == {"ty": "/opt/ty", "python": "/usr/bin/python3=x"}


@pytest.mark.parametrize("pair", ["ty", "ty=", "=/x", "ty=ty", "ty=./ty"])
def test_a_program_without_a_name_or_an_absolute_path_is_refused(pair: str) -> None:
    with pytest.raises(BadSetting, match="it must be a name and an absolute path, as in ty=/opt/ty/bin/ty"):
        settings_from(flags={"server_programs": pair})


def test_an_unknown_program_is_told_with_the_known() -> None:
    with pytest.raises(BadSetting) as refused:
        settings_from(environment={"CODEMAP_SERVER_PROGRAMS": "clang=/x"}, programs={"ty", "clangd"})
    assert str(refused.value) == ("The setting server_programs names an unknown program 'clang': known are clangd, ty.")


@pytest.mark.parametrize("name", ["server_programs", "trust_repository", "server_memory_mb"])
def test_a_repository_does_not_choose_what_is_run(name: str) -> None:
    with pytest.raises(BadSetting, match="a repository may not choose"):
        settings_from(files=[SettingsFile(OWN, {name: "on"})])
