"""Names that are bound in every file without an import: ECMAScript, the DOM, Node.js, and test runners.

A name of these never matches a namesake of the repository. Sources: ECMA-262, lib.dom.d.ts, Node.js globals, the
documentation of Jest, Vitest, Mocha, Jasmine and Bun.
"""

from __future__ import annotations

_LANGUAGE = """
AggregateError Array ArrayBuffer AsyncDisposableStack AsyncFunction AsyncGenerator AsyncGeneratorFunction
AsyncIterator Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date DisposableStack Error EvalError
FinalizationRegistry Float16Array Float32Array Float64Array Function Generator GeneratorFunction Infinity Int16Array
Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect
RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError TypeError URIError Uint16Array Uint32Array
Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet arguments as decodeURI decodeURIComponent encodeURI
encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt this typeof undefined unescape
"""
_TYPES = """
AbstractConstructor ArrayIterator ArrayLike AsyncIterable AsyncIterableIterator AsyncIteratorObject Awaited
BufferSource BuiltinIteratorReturn Capitalize CallableFunction ClassDecorator ConcatArray ConstructorParameters
Disposable AsyncDisposable Exclude Extract FlatArray IArguments ImportMeta InstanceType Iterable IterableIterator
IteratorObject IteratorResult IteratorReturnResult IteratorYieldResult JSX Lowercase MapIterator MethodDecorator
NewableFunction NoInfer NonNullable Omit OmitThisParameter ParameterDecorator Parameters Partial Pick
PromiseConstructor PromiseConstructorLike PromiseFulfilledResult PromiseLike PromiseRejectedResult
PromiseSettledResult PropertyDecorator PropertyDescriptor PropertyDescriptorMap PropertyKey ReadonlyArray ReadonlyMap
ReadonlySet ReadonlySetLike Readonly Record RegExpExecArray RegExpMatchArray Required ReturnType SetIterator
StringIterator TemplateStringsArray ThisParameterType ThisType TypedPropertyDescriptor Uncapitalize Uppercase WeakKey
"""
_DOM = """
AbortController AbortSignal Animation AnimationEvent Attr Audio AudioBuffer AudioContext AudioNode BeforeUnloadEvent
Blob BlobPart BroadcastChannel ByteLengthQueuingStrategy CDATASection CSS CSSRule CSSRuleList CSSStyleDeclaration
CSSStyleRule CSSStyleSheet Cache CacheStorage CanvasGradient CanvasPattern CanvasRenderingContext2D CharacterData
Clipboard ClipboardEvent ClipboardItem CloseEvent Comment CompositionEvent CompressionStream CountQueuingStrategy
Crypto CryptoKey CustomElementRegistry CustomEvent DOMException DOMMatrix DOMParser DOMPoint DOMRect DOMRectReadOnly
DOMTokenList DOMStringMap DataTransfer DecompressionStream Document DocumentFragment DocumentType DragEvent Element
ElementInternals ErrorEvent Event EventInit EventListener EventListenerObject EventListenerOrEventListenerObject
EventSource EventTarget File FileList FileReader FocusEvent FontFace FormData FormDataEntryValue FormDataEvent
FrameRequestCallback GPU Gamepad GamepadEvent Geolocation GlobalEventHandlers HTMLAnchorElement HTMLAudioElement
HTMLBodyElement HTMLButtonElement HTMLCanvasElement HTMLCollection HTMLDialogElement HTMLDivElement HTMLElement
HTMLElementTagNameMap HTMLFieldSetElement HTMLFormElement HTMLHeadElement HTMLHeadingElement HTMLIFrameElement
HTMLImageElement HTMLInputElement HTMLLIElement HTMLLabelElement HTMLLinkElement HTMLMediaElement HTMLMetaElement
HTMLOListElement HTMLOptionElement HTMLParagraphElement HTMLPreElement HTMLScriptElement HTMLSelectElement
HTMLSlotElement HTMLSpanElement HTMLStyleElement HTMLTableCellElement HTMLTableElement HTMLTableRowElement
HTMLTableSectionElement HTMLTemplateElement HTMLTextAreaElement HTMLUListElement HTMLVideoElement HashChangeEvent
Headers HeadersInit History IDBCursor IDBDatabase IDBFactory IDBIndex IDBKeyRange IDBObjectStore IDBOpenDBRequest
IDBRequest IDBTransaction IdleDeadline Image ImageBitmap ImageData InputEvent IntersectionObserver
IntersectionObserverEntry IntersectionObserverInit KeyboardEvent KeyframeAnimationOptions Location MathMLElement
MediaQueryList MediaQueryListEvent MediaRecorder MediaSource MediaStream MediaStreamTrack MessageChannel MessageEvent
MessagePort MouseEvent MutationObserver MutationObserverInit MutationRecord NamedNodeMap Navigator Node NodeFilter
NodeIterator NodeList NodeListOf Notification OffscreenCanvas OffscreenCanvasRenderingContext2D Option
PageTransitionEvent Path2D Performance PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver
PerformanceObserverEntryList PopStateEvent ProgressEvent PromiseRejectionEvent PushManager RTCDataChannel
RTCPeerConnection Range ReadableByteStreamController ReadableStream ReadableStreamBYOBReader
ReadableStreamDefaultController ReadableStreamDefaultReader ReportingObserver Request RequestInfo RequestInit
ResizeObserver ResizeObserverEntry Response ResponseInit SVGElement SVGGElement SVGPathElement SVGRectElement
SVGSVGElement SVGTextElement Screen ScrollBehavior ScrollIntoViewOptions ScrollToOptions Selection ServiceWorker
ServiceWorkerContainer ServiceWorkerGlobalScope ServiceWorkerRegistration ShadowRoot SharedWorker
SpeechSynthesisUtterance Storage StorageEvent StyleSheet SubmitEvent SubtleCrypto Text TextDecoder TextDecoderStream
TextEncoder TextEncoderStream TextMetrics Touch TouchEvent TouchList TransformStream TransformStreamDefaultController
TransitionEvent TreeWalker UIEvent URL URLPattern URLSearchParams VideoFrame VisualViewport WebGL2RenderingContext
WebGLProgram WebGLRenderingContext WebGLShader WebGLTexture WebGLUniformLocation WebKitCSSMatrix WebSocket
WebTransport WheelEvent Window WindowEventMap WindowOrWorkerGlobalScope Worker WorkerGlobalScope WorkerOptions Worklet
WritableStream WritableStreamDefaultController WritableStreamDefaultWriter XMLDocument XMLHttpRequest XMLSerializer
XPathEvaluator addEventListener alert atob btoa caches cancelAnimationFrame cancelIdleCallback clearInterval
clearTimeout confirm console createImageBitmap crossOriginIsolated crypto customElements devicePixelRatio
dispatchEvent document fetch getComputedStyle getSelection history importScripts indexedDB innerHeight innerWidth
isSecureContext localStorage location matchMedia navigator outerHeight outerWidth performance postMessage prompt
queueMicrotask removeEventListener reportError requestAnimationFrame requestIdleCallback screen scrollBy scrollTo
scrollX scrollY self sessionStorage setInterval setTimeout skipWaiting speechSynthesis structuredClone trustedTypes
visualViewport window
"""
_NODE = """
Buffer BufferEncoding Bun Deno EdgeRuntime NodeJS NodeRequire __dirname __filename clearImmediate exports global
module process require setImmediate
"""
_TESTS = """
after afterAll afterEach assertType before beforeAll beforeEach bench chai context cy Cypress describe expect
expectTypeOf fail fdescribe fit it jasmine jest mocha onTestFailed onTestFinished pending sinon specify spyOn suite
suiteSetup suiteTeardown test vi vitest xdescribe xit xtest
"""
_OTHER = """
GM_getValue GM_setValue chrome browser define amd goog React ReactDOM jQuery
"""
_MODULES = """
assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs
http http2 https inspector module net os path perf_hooks process punycode querystring readline repl sqlite stream
string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib
"""
GLOBALS = frozenset(f"{_LANGUAGE} {_TYPES} {_DOM} {_NODE} {_TESTS} {_OTHER}".split())
NODE_MODULES = frozenset(_MODULES.split())
"""Modules of Node.js itself, which need no `node:` before them."""
