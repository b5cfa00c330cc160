"""Builds step by step, of sources that include headers of which only a build says where they are."""

from __future__ import annotations

from tests.graph.test_incremental import edits_of

VARIANTS = {
    "main.c": [
        '#include "platform.h"\nvoid run(void) { start(); note(); only(); }\n',
        '#include "extra.h"\nvoid run(void) { start(); note(); only(); }\n',
    ],
    "platform.h": ["void start(void);\n"],
    "linux/platform.h": [
        "void start(void);\nstatic inline void note(void) { }\nvoid only(void);\n",
        '#include "extra.h"\nvoid start(void);\n',
    ],
    "linux/platform.c": [
        '#include "linux/platform.h"\nvoid start(void) { note(); }\nvoid only(void) { start(); }\n',
        '#include "extra.h"\n#ifdef LINUX\nvoid start(void) { only(); }\n#endif\n',
    ],
    "linux/extra.h": ["void only(void); void note(void);\n"],
    "darwin/platform.h": ["void start(void);\nvoid note(void);\n", '#include "extra.h"\n'],
    "darwin/platform.c": [
        '#include "darwin/platform.h"\nvoid start(void) { }\nvoid note(void) { start(); }\n',
        '#include "platform.h"\nvoid note(void) { only(); start(); }\n',
    ],
    "darwin/extra.h": ["static inline void only(void) { }\n", "void start(void);\n"],
}

TestCEdits = edits_of(VARIANTS, 20)
