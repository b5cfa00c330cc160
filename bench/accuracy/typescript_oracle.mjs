// Call sites of a TypeScript or JavaScript tree, each with the definitions that the TypeScript compiler resolves it to.
//
// node typescript_oracle.mjs TYPESCRIPT_FOLDER ROOT  ->  one JSON object a line:
//   {path, line, col, source, name, targets, isResolved}
// A definition is `path:line:col` of the name of its first declaration (1-based, UTF-16); a module is `path`. Nested functions
// are folded into the outermost one around them, a constructor into its class. `isResolved` with no targets: the callee is
// known and lies outside, or is a value that no definition of the repository gives.

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
    else if (SUFFIX.test(entry.name)) yield full;
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

function boundName(node) {
  if (node.name) return isInNamelessObject(node) ? undefined : node.name;
  const parent = node.parent;
  if ((ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isClassExpression(node)) && parent) {
    if ((ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent) || ts.isPropertyAssignment(parent)) && parent.initializer === node)
      return isInNamelessObject(parent) ? undefined : parent.name;
    if (ts.isBinaryExpression(parent) && parent.right === node && isStaticTarget(parent.left)) return parent.left.name;
  }
  return undefined;
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

function place(node) {
  const source = node.getSourceFile();
  const at = source.getLineAndCharacterOfPosition(node.getStart(source));
  return `${relative(source.fileName)}:${at.line + 1}:${at.character + 1}`;
}

function canonical(nameNode) {
  const symbol = checker.getSymbolAtLocation(nameNode);
  const declarations = (symbol?.declarations ?? []).filter((d) => d.getSourceFile() === nameNode.getSourceFile() &&
    !ts.isInterfaceDeclaration(d) && !ts.isTypeAliasDeclaration(d) && !ts.isModuleDeclaration(d));
  const names = declarations.map(nameOf).filter(Boolean);
  names.push(nameNode);
  names.sort((a, b) => a.getStart() - b.getStart());
  return place(names[0]);
}

// The outermost named function around a node, or the class whose body or constructor holds it, or the module.
function sourceOf(node) {
  let holder;
  for (let at = node.parent; at; at = at.parent) {
    if (ts.isConstructorDeclaration(at) || ts.isClassStaticBlockDeclaration(at)) holder = at.parent;
    else if (ts.isClassLike(at)) holder ??= at;
    else if (isFunction(at) && nameOf(at)) holder = at;
  }
  const name = holder && nameOf(holder);
  return name ? canonical(name) : relative(node.getSourceFile().fileName);
}

function isNested(node) {
  for (let at = node.parent; at; at = at.parent) if (isFunction(at) && nameOf(at)) return true;
  return false;
}

function definitionOf(declaration) {
  if (ts.isConstructorDeclaration(declaration)) declaration = declaration.parent;
  const source = declaration.getSourceFile();
  if (!fileSet.has(path.resolve(source.fileName))) return { outside: true };
  let callable = declaration;
  if (ts.isVariableDeclaration(declaration) || ts.isPropertyDeclaration(declaration) || ts.isPropertyAssignment(declaration))
    callable = declaration.initializer && (isFunction(declaration.initializer) || ts.isClassExpression(declaration.initializer)) ? declaration.initializer : undefined;
  if (ts.isPropertyAccessExpression(declaration) || ts.isBinaryExpression(declaration)) {
    const binary = ts.isBinaryExpression(declaration) ? declaration : declaration.parent;
    callable = binary && ts.isBinaryExpression(binary) && isFunction(binary.right) ? binary.right : undefined;
  }
  if (!callable || !(isFunction(callable) || ts.isClassLike(callable))) return {};
  const name = nameOf(callable);
  if (!name) return {};
  return { target: isNested(callable) ? sourceOf(callable) : canonical(name) };
}

function calleeName(expression) {
  while (ts.isParenthesizedExpression(expression) || ts.isNonNullExpression(expression)) expression = expression.expression;
  if (ts.isIdentifier(expression) || ts.isPrivateIdentifier(expression)) return expression;
  if (ts.isPropertyAccessExpression(expression)) return expression.name;
  return undefined;
}

function report(call, expression) {
  const name = calleeName(expression);
  if (!name) return;
  let symbol = checker.getSymbolAtLocation(name);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  const declarations = symbol?.declarations ?? [];
  const found = declarations.map(definitionOf);
  const targets = [...new Set(found.map((f) => f.target).filter(Boolean))];
  const source = name.getSourceFile();
  const at = source.getLineAndCharacterOfPosition(name.getStart(source));
  const isResolved = targets.length > 0 || (found.length > 0 && found.every((f) => f.outside));
  console.log(JSON.stringify({ path: relative(source.fileName), line: at.line + 1, col: at.character + 1,
    source: sourceOf(call), name: name.text, targets, isResolved }));
}

for (const file of program.getSourceFiles()) {
  if (!fileSet.has(path.resolve(file.fileName)) || file.isDeclarationFile) continue;
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.kind !== ts.SyntaxKind.ImportKeyword && node.expression.kind !== ts.SyntaxKind.SuperKeyword)
      report(node, node.expression);
    else if (ts.isNewExpression(node)) report(node, node.expression);
    else if (ts.isTaggedTemplateExpression(node)) report(node, node.tag);
    ts.forEachChild(node, visit);
  };
  visit(file);
}
