// What a TypeScript or JavaScript tree defines and uses, as the TypeScript compiler resolves it.
//
// node typescript_oracle.mjs TYPESCRIPT_FOLDER ROOT  ->  {definitions: [{place, key, name, holder}], uses: [{path, line, col, source,
// name, relation, targets, is_resolved}]}, as bench/accuracy/edges.py has them.
//
// A definition without a name (`export default function () {}`) is its module, and so is a value without a definition.
// `is_resolved` with no targets: what is used is known and lies outside.

import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const [, , typescriptFolder, rootArgument] = process.argv;
const ts = createRequire(path.join(typescriptFolder, "package.json"))(typescriptFolder);
const root = path.resolve(rootArgument);
const SUFFIX = /\.(ts|tsx|mts|cts|js|jsx|mjs|cjs)$/;

function* walk(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules" || entry.name.startsWith(".git")) continue;
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(full);
    else if (SUFFIX.test(entry.name) && !entry.name.includes(".min.")) yield full;
  }
}

function options() {
  const config = path.join(root, "tsconfig.json");
  const base = { allowJs: true, checkJs: false, noEmit: true, skipLibCheck: true, jsx: ts.JsxEmit.Preserve,
    target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true, maxNodeModuleJsDepth: 0, types: [] };
  if (!fs.existsSync(config)) return base;
  const parsed = ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config, ts.sys, root).options;
  return { ...base, paths: parsed.paths, baseUrl: parsed.baseUrl, pathsBasePath: parsed.pathsBasePath, strict: parsed.strict };
}

const files = [...walk(root)];
const program = ts.createProgram(files, options());
const checker = program.getTypeChecker();
const relative = (file) => path.relative(root, file).split(path.sep).join("/");
const fileSet = new Set(files.map((f) => path.resolve(f)));

// The name that a function or class is bound to: its own, its variable's, field's or property's; never a computed one.
function nameOf(node) {
  const name = boundName(node);
  return name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteral(name)) ? name : undefined;
}

// Where a function expression has a name of its own, too, it is known by what it is bound to.
function boundName(node) {
  if (ts.isConstructorDeclaration(node)) return undefined;
  const parent = node.parent;
  if ((ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isClassExpression(node)) && parent) {
    if ((ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent) || ts.isPropertyAssignment(parent)) && parent.initializer === node)
      return isInNamelessObject(parent) ? undefined : parent.name;
    if (ts.isBinaryExpression(parent) && parent.right === node && isStaticTarget(parent.left)) return parent.left.name;
  }
  return node.name && !isInNamelessObject(node) ? node.name : undefined;
}

// Members of an object literal have a name only where the object has one: bound to a variable or exported.
function isInNamelessObject(member) {
  let object = member.parent;
  if (!object || !ts.isObjectLiteralExpression(object)) return false;
  while (ts.isAsExpression(object.parent) || ts.isSatisfiesExpression(object.parent) || ts.isParenthesizedExpression(object.parent)) object = object.parent;
  const holder = object.parent;
  if (ts.isVariableDeclaration(holder) || ts.isExportAssignment(holder) || ts.isPropertyDeclaration(holder)) return false;
  if (ts.isPropertyAssignment(holder)) return isInNamelessObject(holder);
  return !(ts.isBinaryExpression(holder) && isStaticTarget(holder.left));
}

// `exports.f =`, `module.exports.f =`, `C.prototype.m =` and `f.sub =`, at the top level of a module.
function isStaticTarget(left) {
  return ts.isPropertyAccessExpression(left) && ts.isSourceFile(left.parent.parent?.parent ?? left);
}

const isFunction = (n) => ts.isFunctionDeclaration(n) || ts.isMethodDeclaration(n) || ts.isFunctionExpression(n) || ts.isArrowFunction(n) ||
  ts.isGetAccessor(n) || ts.isSetAccessor(n) || ts.isConstructorDeclaration(n) || ts.isMethodSignature(n);
const isClass = (n) => ts.isClassLike(n) || ts.isInterfaceDeclaration(n) || ts.isEnumDeclaration(n);
const isDefinition = (n) => isFunction(n) || isClass(n) || ts.isTypeAliasDeclaration(n);

function place(node) {
  const source = node.getSourceFile();
  const at = source.getLineAndCharacterOfPosition(node.getStart(source));
  return `${relative(source.fileName)}:${at.line + 1}:${at.character + 1}`;
}

// The names of the definitions, namespaces and objects around a definition, and its own, in its file: what is named alike is one,
// and its first declaration stands for all: overloads, accessors, an interface and the class beside it.
function chainOf(node) {
  const names = [relative(node.getSourceFile().fileName)];
  for (let at = node; at; at = at.parent) {
    const name = isDefinition(at) ? nameOf(at) : ts.isModuleDeclaration(at) || holdsObject(at) ? at.name : undefined;
    if (name?.text) names.push(name.text);
  }
  return names.join("\n");
}

const holdsObject = (n) => (ts.isVariableDeclaration(n) || ts.isPropertyAssignment(n) || ts.isPropertyDeclaration(n)) && n.initializer && ts.isObjectLiteralExpression(n.initializer);

const first = new Map();

function canonical(node) {
  const chain = chainOf(node);
  if (!first.has(chain)) first.set(chain, place(nameOf(node)));
  return first.get(chain);
}

// The function, class or type that a declaration is or is bound to.
function definitionNode(declaration) {
  if (ts.isConstructorDeclaration(declaration)) return declaration.parent;
  if (isDefinition(declaration)) return declaration;
  let value;
  if (ts.isVariableDeclaration(declaration) || ts.isPropertyDeclaration(declaration) || ts.isPropertyAssignment(declaration)) value = declaration.initializer;
  if (ts.isPropertyAccessExpression(declaration) || ts.isBinaryExpression(declaration)) {
    const binary = ts.isBinaryExpression(declaration) ? declaration : declaration.parent;
    value = binary && ts.isBinaryExpression(binary) ? binary.right : undefined;
  }
  return value && (isFunction(value) || ts.isClassExpression(value)) ? value : undefined;
}

// The key of the outermost named function around a node, or of the class whose body or constructor holds it, or the module.
// The type that stands at a function's name is the function's own.
function sourceOf(node) {
  let holder;
  for (let at = node.parent; at; at = at.parent) {
    if (ts.isConstructorDeclaration(at) || ts.isClassStaticBlockDeclaration(at)) holder = at.parent;
    else if (isClass(at)) holder ??= at;
    else if (isFunction(at) && nameOf(at)) holder = at;
    else if ((ts.isVariableDeclaration(at) || ts.isPropertyDeclaration(at)) && at.initializer && isFunction(at.initializer) && nameOf(at.initializer)) holder = at.initializer;
  }
  const name = holder && nameOf(holder);
  return name ? canonical(holder) : relative(node.getSourceFile().fileName);
}

function isNested(node) {
  for (let at = node.parent; at; at = at.parent) if (isFunction(at) && nameOf(at)) return true;
  return false;
}

const isInside = (node) => fileSet.has(path.resolve(node.getSourceFile().fileName));

// {target: key} of a declaration; {outside: true}; {} where it is no definition of the repository.
function targetOf(declaration) {
  if (!isInside(declaration)) return { outside: true };
  if (ts.isSourceFile(declaration)) return { file: relative(declaration.fileName) };
  const node = definitionNode(declaration);
  if (!node) return {};
  const name = nameOf(node);
  if (!name) return ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) ? { target: relative(node.getSourceFile().fileName) } : {};
  return { target: isNested(node) ? sourceOf(node) : canonical(node) };
}

const definitions = [];
const uses = [];

function tellDefinition(node) {
  const name = nameOf(node);
  if (!name) return;
  const body = ts.isPropertyDeclaration(node.parent) ? node.parent.parent : node.parent;
  const holder = isClass(body) && nameOf(body) && !isNested(body) ? canonical(body) : "";
  definitions.push({ place: place(name), key: isNested(node) ? sourceOf(node) : canonical(node), name: name.text, holder });
}

function tellUse(name, relation, source, symbol) {
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  let declarations = symbol?.declarations ?? [];
  if (relation === "references" || relation === "calls") {
    const isType = relation === "references" && isTypePosition(name);
    const fitting = declarations.filter((d) => isType ? !isValueOnly(d) : !ts.isInterfaceDeclaration(d) && !ts.isTypeAliasDeclaration(d));
    if (fitting.length) declarations = fitting;
  }
  const found = declarations.map(targetOf);
  // What augments a definition outside (`declare global`) is not what is meant.
  const isAugmented = found.some((f) => f.outside) && found.some((f) => f.target);
  const targets = isAugmented ? [] : [...new Set(found.map((f) => f.target ?? (relation === "imports" ? f.file : undefined)).filter(Boolean))];
  const file = name.getSourceFile();
  const at = file.getLineAndCharacterOfPosition(name.getStart(file) + (ts.isStringLiteral(name) ? 1 : 0));
  const is_resolved = !isAugmented && found.length > 0 && found.every((f) => f.outside || f.target || f.file);
  uses.push({ path: relative(file.fileName), line: at.line + 1, col: at.character + 1, source, name: name.text, relation, targets, is_resolved });
}

const isValueOnly = (d) => ts.isVariableDeclaration(d) || ts.isFunctionDeclaration(d);

function isTypePosition(node) {
  for (let at = node.parent; at; at = at.parent) {
    if (ts.isTypeQueryNode(at) || ts.isExpressionWithTypeArguments(at)) return false;
    if (ts.isTypeNode(at)) return true;
    if (!ts.isQualifiedName(at)) return false;
  }
  return false;
}

function nameIn(expression) {
  while (ts.isParenthesizedExpression(expression) || ts.isNonNullExpression(expression)) expression = expression.expression;
  if (ts.isIdentifier(expression) || ts.isPrivateIdentifier(expression)) return expression;
  if (ts.isPropertyAccessExpression(expression)) return expression.name;
  return undefined;
}

const told = new Set();

function tell(expression, relation, around) {
  const name = nameIn(expression);
  if (!name) return;
  told.add(name);
  tellUse(name, relation, sourceOf(around), checker.getSymbolAtLocation(name));
}

function tellImports(node) {
  const specifier = node.moduleSpecifier;
  const source = relative(node.getSourceFile().fileName);
  if (!specifier || !ts.isStringLiteral(specifier)) return;
  tellUse(specifier, "imports", source, checker.getSymbolAtLocation(specifier));
  const clause = ts.isImportDeclaration(node) ? node.importClause : node.exportClause;
  const named = clause && (ts.isNamedExports(clause) ? clause : clause.namedBindings);
  if (clause?.name) tellUse(clause.name, "imports", source, checker.getSymbolAtLocation(clause.name));
  if (named && named.elements) for (const element of named.elements) {
    const name = element.propertyName ?? element.name;
    tellUse(name, "imports", source, checker.getSymbolAtLocation(name));
  }
}

// An identifier that is read: no declared name, no key, no target of an assignment, no name in an import. `exports` of
// `exports.f = …` is the module, of which the compiler's symbol there is f.
function isRead(node) {
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent) && parent.expression === node && node.text === "exports" && isAssigned(parent)) return false;
  if (told.has(node) || ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isImportClause(parent) || ts.isNamespaceImport(parent)) return false;
  if (ts.isLabeledStatement(parent) || ts.isBreakOrContinueStatement(parent) || ts.isJsxAttribute(parent) || ts.isMetaProperty(parent)) return false;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return !isAssigned(parent);
  if (ts.isQualifiedName(parent) || ts.isTypePredicateNode(parent)) return !(ts.isTypePredicateNode(parent) && parent.parameterName === node);
  if (ts.isJsxClosingElement(parent)) return false;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  return parent.name !== node && !isAssigned(node);
}

const isAssigned = (node) => ts.isBinaryExpression(node.parent) && node.parent.left === node && node.parent.operatorToken.kind === ts.SyntaxKind.EqualsToken;

// The function f of `f.call(…)` and `f.apply(…)`, which calls it.
function borrowedBy(callee) {
  if (!ts.isPropertyAccessExpression(callee) || !["call", "apply"].includes(callee.name.text)) return undefined;
  const declarations = checker.getSymbolAtLocation(callee.name)?.declarations ?? [];
  const is_outside = declarations.every((d) => !isInside(d));
  return is_outside && checker.getTypeAtLocation(callee.expression).getCallSignatures().length ? callee.expression : undefined;
}

function visit(node) {
  if (ts.isCallExpression(node) && node.expression.kind !== ts.SyntaxKind.ImportKeyword && node.expression.kind !== ts.SyntaxKind.SuperKeyword)
    tell(borrowedBy(node.expression) ?? node.expression, "calls", node);
  else if (ts.isNewExpression(node)) tell(node.expression, "calls", node);
  else if (ts.isTaggedTemplateExpression(node)) tell(node.tag, "calls", node);
  else if (ts.isHeritageClause(node)) for (const type of node.types) tellBase(type, node.parent);
  else if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) tellImports(node);
  else if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && isRead(node)) tellReference(node);
  ts.forEachChild(node, visit);
}

function tellBase(type, holder) {
  const name = nameIn(type.expression);
  if (!name || !nameOf(holder)) return;
  told.add(name);
  const key = isNested(holder) ? sourceOf(holder) : canonical(holder);
  tellUse(name, "inherits", key, checker.getSymbolAtLocation(name));
}

function tellReference(name) {
  const shorthand = ts.isShorthandPropertyAssignment(name.parent) ? checker.getShorthandAssignmentValueSymbol(name.parent) : undefined;
  const symbol = shorthand ?? checker.getSymbolAtLocation(name);
  if (symbol) tellUse(name, "references", sourceOf(name), symbol);
}

// In the order of the files, so that the first of a chain is the first in its file.
function tellDefinitions(node) {
  if (isDefinition(node)) tellDefinition(node);
  ts.forEachChild(node, tellDefinitions);
}

const sources = program.getSourceFiles().filter((file) => fileSet.has(path.resolve(file.fileName)));
sources.forEach(tellDefinitions);
sources.forEach(visit);
fs.writeSync(1, JSON.stringify({ definitions, uses }));
