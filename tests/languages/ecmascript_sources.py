"""Sources that together use every construct the walk knows, for tests that break them."""

from __future__ import annotations

_MODERN = rb"""import d, { type e, f as g } from './p'; import * as r from "s"; import './t';
/** The store. More text. */
@Injectable({a: 1})
export abstract class A<T extends C = D> extends r.B<T> implements I, J<K> {
  private readonly store: Store = new Store<T>();
  static p = A.q(1); declare tag: string; [k]: string;
  @Input() name?: string;
  constructor(private a: A, public b = 2, {c, d: e = 3}: P, ...r: any[]) { super(a); this.q ??= 1; this.x = []; }
  get x(): number { return 1 } set x(v) {}
  m(a: string): void; m(a: any) { c.go(); return this }
  async *gen() { yield new C(); yield* rest; }
  static { init(); this.s() }
  abstract n(): void;
  h = async (ev: E) => { await ev?.f!(); this.m(1) };
  [Symbol.iterator]() {} 'str'() {} #secret = class Inner { deep() { super.deep() } };
}
enum E { A = 1, B = A << 2, 'C' }
namespace N.M { export const y = 1; function z() { y } } namespace N { export const w = M.y; }
declare module 'x' { export function f(): void } declare global { interface Window { a: 1 } }
interface I2<T> extends A<T>, b.C { (x: number): string; new (x: T): I2; m?(a: T): void; p: (a: X) => Y;
  readonly q: T[] }
type U = { a: string; m(): I2 } & B; type V<T> = T extends (infer W)[] ? W : { [P in keyof T]?: T[P] };
type Q = ReturnType<typeof tp> | InstanceType<typeof A> | [a: X, b?: Y, ...Z[]] | `a${B}` | readonly string[] | -1;
export const api = { get() { return this.post() }, post: async () => it(), nested: { deep: () => api.get() }, g, ...r };
const comp = React.memo(function Comp({ a, b }: Props) { a.go(); return hook(b) });
function fac() { const st = { get() {} }; let u;
  u = new A(); if (u instanceof E) { u.foo() } return { st, run: () => u.m() } }
for (const [v, , w = 1] of xs) { v.go() } for (let i = 0; i < 1; i++) {} for (k in o) {} for await (const z of y) z();
xs.map(x => x.go()).sort((p, q) => p.n - q.n); import('./dyn').then(m => m.foo());
const { q1, q2: q3 } = await import('./x'); const tt = (await import('./y')).zz(), [h1, ...h2] = hs;
export { comp as default, api as b };
export * from './z'; export * as ns from './z'; export { one as two } from './z';
function ov(a: string): A; function ov(a: any): a is A { return a as unknown as A satisfies B }
function tp<K extends A>(this: K, k: K, f: (x: K) => A) { k.m(); f(k).m(); const qq: typeof api = api!; }
try { a() } catch ({ message }) { message() } finally { b() } switch (x) { case y: let q = 1; default: q() }
if (!(x instanceof A)) { throw x } else x.go(); label: while (x) { continue label } do { x } while (y);
const el = <Foo.Bar a={1} {...p} b="s" c=<i/>><div>{y} text &amp;</div><a:b/><></></Foo.Bar>;
tag`x${y}z`; (0, a.b)();
new a.b.C(1); a?.[0]?.('k'); a['k'](); delete a.b, void 0; x = y = z; [a, b.c] = d; ({ a, b: c.d } = e);
"""
_COMMON = rb"""'use strict';
var app = exports = module.exports = {}; var fs = require('fs'), f = require('./f').f;
const { a, b: c } = require('./m');
exports.one = function () {}; exports.two = exports.alias = () => exports.one(); exports.Three = class {};
exports.value = void 0; module.exports.four = async function named() { named() }; module.exports = require('./whole');
module.exports = { /** D. */ get() { this.post() }, post: function () {}, C: class {},
  n: { d() {} }, a, o: a, ...require('./l') };
module.exports = class Store { save() {} }; module.exports = function () {}; module.exports = a; module.exports = a.b();
function Queue(size) { this.size = size; this.push(1); }
Queue.prototype.push = function (i) {
  var self = this; self.pop() };
Queue.prototype = { pop() {}, get length() { return 0 } }; Queue.of = () => new Queue(); window.onload = function () {};
let late; late = function () {}; other = () => {}; (function () { var inside = 1 })(); !function named() {}();
export default { name: 'd', methods: { go() {} } }; export default connect(() => 1)(View); export default class {}
export default async function* () {}
export default a;
export const { x, y: [z = 1] } = w, q = 1;
"""
SOURCES = (_MODERN, _COMMON)
