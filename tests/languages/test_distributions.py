"""What manifests say that a repository makes, and what it asks for."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from codemap.languages import by_name
from codemap.project import Project

POM = """
<project>
  <parent><groupId>org.shop</groupId><artifactId>parent</artifactId><version>1</version></parent>
  <artifactId>store</artifactId>
  <dependencyManagement><dependencies>
    <dependency><groupId>managed</groupId><artifactId>only</artifactId></dependency>
  </dependencies></dependencyManagement>
  <dependencies>
    <dependency>
      <groupId>${project.groupId}</groupId><artifactId>util</artifactId>
      <exclusions><exclusion><groupId>left</groupId><artifactId>out</artifactId></exclusion></exclusions>
    </dependency>
    <dependency><groupId>org.other</groupId><artifactId>other</artifactId><scope>test</scope></dependency>
  </dependencies>
  <build><plugins><plugin>
    <groupId>a</groupId><artifactId>plugin</artifactId>
    <dependencies><dependency><groupId>of</groupId><artifactId>plugin</artifactId></dependency></dependencies>
  </plugin></plugins></build>
</project>
"""
GRADLE = {
    "settings.gradle": "rootProject.name = 'shop'\n",
    "build.gradle.kts": 'tasks.x {\n  group = "verification"\n}\n\nallprojects {\n  group = "org.shop"\n}\n',
    "store/build.gradle": (
        "dependencies {\n  implementation 'org.other:other:1.0'\n  api project(':util')\n"
        "  api group: 'org.named', name: 'named', version: '1'\n}\n"
    ),
    "util/build.gradle": "group = 'org.util'\narchivesBaseName = 'shop-util'\n",
    "gradle/libs.versions.toml": (
        "[libraries]\na = 'org.a:a:1.0'\nb = { module = 'org.b:b' }\nc = { group = 'org.c', name = 'c' }\n"
    ),
    "docs/settings.gradle": "rootProject.name = 'docs'\n",
}
GEMSPEC = """
Gem::Specification.new do |s|
  s.name = "shop"
  s.add_dependency "rack", "~> 2"
  s.add_development_dependency("minitest")
end
"""
GEMFILE = """
source "https://rubygems.org"
gem "rake"
gem("puma", require: false)
# gem "not"
"""
CSPROJ = """
<Project>
  <PropertyGroup><AssemblyName>Shop.Store</AssemblyName><PackageId>$(AssemblyName)</PackageId></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Other.Package" Version="1" />
    <ProjectReference Include="..\\Shop.Util\\Shop.Util.csproj" />
  </ItemGroup>
</Project>
"""
COMPOSER = """
{"name": "Shop/All", "require": {"php": ">=8", "Other/Package": "*"}, "require-dev": {"unit/unit": "*"},
 "replace": {"shop/store": "self.version", "shop/old": "*"}}
"""


@pytest.mark.parametrize(
    ("language", "configs", "made", "used"),
    [
        ("java", {"pom.xml": POM}, "org.shop:store", "org.shop:util org.other:other"),
        ("java", {"pom.xml": "<project><artifactId>a</artifactId></project>"}, "", ""),
        ("java", {"pom.xml": "<project><groupId>${g}</groupId><artifactId>a</artifactId></project>"}, "", ""),
        ("java", {"pom.xml": '<!DOCTYPE p [<!ENTITY a "b">]><project><groupId>&a;</groupId></project>'}, "", ""),
        (
            "kt",
            GRADLE,
            "org.shop:shop org.shop:store org.util:shop-util",
            "org.other:other org.named:named org.a:a org.b:b org.c:c",
        ),
        ("java", {"build.gradle": "tasks.x {\n  group = 'help'\n}\n"}, "", ""),
        ("java", {"lib/build.gradle": "", "gradle.properties": "GROUP=org.shop\n"}, "org.shop:lib", ""),
        ("rb", {"shop.gemspec": GEMSPEC, "Gemfile": GEMFILE}, "shop", "rack minitest rake puma"),
        ("cs", {"a/Shop.csproj": CSPROJ}, "shop.store", "other.package shop.util"),
        ("cs", {"a/Shop.csproj": "<Project/>"}, "shop", ""),
        ("php", {"composer.json": COMPOSER}, "shop/all shop/store", "php other/package unit/unit"),
        ("php", {"composer.json": "[1]"}, "", ""),
    ],
)
def test_what_manifests_make_and_ask_for(language: str, configs: Mapping[str, str], made: str, used: str) -> None:
    stated = by_name()[language].packaging.distributions
    assert stated is not None
    found = stated(Project(frozenset(), {path: text.encode() for path, text in configs.items()}))
    assert (set(found.made), set(found.used)) == (set(made.split()), set(used.split()))
