"""A project of Eclipse, for jdtls: Maven and Gradle would have to fetch plug-ins."""

from __future__ import annotations


def eclipse_project(sources: str) -> dict[str, str]:
    """Its files: the sources are in that folder (empty: in its own), and need the JDK alone."""
    return {".project": _PROJECT, ".classpath": _CLASSPATH.format(sources=sources)}


_PROJECT = """\
<?xml version="1.0" encoding="UTF-8"?>
<projectDescription>
  <name>measured</name>
  <buildSpec><buildCommand><name>org.eclipse.jdt.core.javabuilder</name></buildCommand></buildSpec>
  <natures><nature>org.eclipse.jdt.core.javanature</nature></natures>
</projectDescription>
"""
_CLASSPATH = """\
<?xml version="1.0" encoding="UTF-8"?>
<classpath>
  <classpathentry kind="src" path="{sources}" excluding="bin/"/>
  <classpathentry kind="con" path="org.eclipse.jdt.launching.JRE_CONTAINER"/>
  <classpathentry kind="output" path="bin"/>
</classpath>
"""
