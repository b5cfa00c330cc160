"""What Ruby brings with it: constants, and the methods that every object, class and common value has.

Source: the Ruby documentation of Object, Kernel, Module, Class, Comparable, Enumerable, Array, Hash, String, Integer.
"""

from __future__ import annotations

ARRAY = "Array"
"""The generic type of values that hold others."""
OUTSIDE = "outside any file"
"""A name that no program can spell, of what the repository does not define."""
EVERYWHERE = ("anything", "anything in tests")
"""Names that no constant can have, of what product code has everywhere, and of what tests and the like have besides."""
ABOVE = {"anything": ("Object", "Kernel"), "anything in tests": ("anything", "Object", "Kernel")}
"""What has that, too."""
_CONSTANTS = (
    "ARGF ARGV ArgumentError Array BasicObject Binding Class ClosedQueueError Comparable Complex ConditionVariable"
    " Data DATA Dir ENV EOFError Encoding EncodingError Enumerable Enumerator Errno Exception FalseClass Fiber"
    " FiberError File FileTest Float FloatDomainError FrozenError GC Hash IO IOError IndexError Integer Interrupt"
    " Kernel KeyError LoadError LocalJumpError Marshal MatchData Math Method Module Monitor Mutex NameError NilClass"
    " NoMatchingPatternError NoMemoryError NoMethodError NotImplementedError Numeric Object ObjectSpace Proc Process"
    " Queue RUBY_ENGINE RUBY_PLATFORM RUBY_VERSION Ractor Random Range RangeError Rational Regexp RegexpError RubyVM"
    " RuntimeError STDERR STDIN STDOUT ScriptError SecurityError Set Signal SignalException SizedQueue StandardError"
    " StopIteration String Struct Symbol SyntaxError SystemCallError SystemExit SystemStackError TOPLEVEL_BINDING"
    " Thread ThreadError ThreadGroup Time TracePoint TrueClass TypeError UnboundMethod UncaughtThrowError Warning"
    " WeakRef ZeroDivisionError"
)
CONSTANTS = frozenset(_CONSTANTS.split())
_KERNEL = (
    "Array Float Hash Integer Rational String abort at_exit binding block_given? caller caller_locations catch eval"
    " exec exit exit! fail fork format gets global_variables initialize_copy lambda load local_variables loop open p"
    " pp print printf proc putc puts raise rand readline readlines require require_relative select set_trace_func"
    " sleep spawn sprintf srand syscall system test throw trap warn __method__ __dir__"
)
KERNEL = frozenset(_KERNEL.split())
"""Methods that every object may call on itself alone."""
_EVERY_OBJECT = (
    "class clone define_singleton_method display dup enum_for eql? equal? extend freeze frozen? hash inspect"
    " instance_eval instance_exec instance_of? instance_variable_defined? instance_variable_get instance_variable_set"
    " instance_variables is_a? itself kind_of? method methods nil? object_id private_methods public_method"
    " public_methods public_send remove_instance_variable respond_to? send singleton_class singleton_method"
    " singleton_methods tap then to_enum to_s yield_self __send__ __id__ instance_variable_names"
)
SAME = ("dup", "clone", "freeze", "itself", "tap")
"""Methods of every object that give it, or another one of its class."""
EVERY_OBJECT = frozenset(_EVERY_OBJECT.split())
ENDS = frozenset({"raise", "fail", "abort", "exit", "exit!", "throw"})
"""Methods that never return."""
_EVERY_CLASS = (
    "alias_method allocate ancestors attr attr_accessor attr_reader attr_writer autoload autoload? class_eval"
    " class_exec class_variable_defined? class_variable_get class_variable_set class_variables const_defined?"
    " const_get const_missing const_set const_source_location constants define_method extend include include?"
    " included_modules instance_method instance_methods method_defined? module_eval module_exec module_function name"
    " new prepend private private_class_method private_constant private_instance_methods private_method_defined?"
    " protected protected_instance_methods protected_method_defined? public public_class_method public_instance_method"
    " public_instance_methods public_method_defined? refine remove_class_variable remove_const remove_method"
    " superclass undef_method using"
)
EVERY_CLASS = frozenset(_EVERY_CLASS.split()) | EVERY_OBJECT
_MEMBERS = (
    "all? any? append assoc at call capitalize ceil center chars chomp chop chr chunk_while clear close codepoints"
    " collect compact compact! concat count cycle day delete delete! delete_at delete_if detect dig div downcase drop"
    " each each_char each_cons each_entry each_key each_line each_pair each_slice each_value each_with_index"
    " each_with_object empty? encode encoding end_with? entries eof? even? fetch fetch_values fill filter filter_map"
    " find find_all find_index first flat_map flatten flatten! floor flush force_encoding grep group_by gsub gsub!"
    " has_key? has_value? hour include? index indices inject insert intern invert join keep_if key key? keys last"
    " length lines ljust lstrip map map! match match? max max_by member? merge merge! message min min_by minmax mode"
    " month new next none? odd? one? ord pack partition permutation pop positive? pred prepend product push read"
    " reduce reject reject! replace reverse reverse! reverse_each rewind rindex rjust rotate round rstrip sample scan"
    " sec select! shift shuffle size slice slice! sort sort! sort_by sort_by! split squeeze start_with? step store"
    " strftime strip strip! sub sub! succ sum swapcase take take_while times to_a to_ary to_c to_f to_h to_hash to_i"
    " to_int to_io to_proc to_r to_set to_str to_sym tr transform_keys transform_values transpose truncate uniq uniq!"
    " unpack unshift upcase update upto downto valid_encoding? value value? values values_at write year yday zero? zip"
    " arity backtrace begin end exclude_end? exception full_message cause parameters owner receiver source_location"
    " curry synchronize lock unlock alive? wakeup path bytes bytesize byteslice sync fileno tty? isatty"
    " + - * / % ** == != === =~ !~ < > <= >= <=> << >> & | ^ ~ ! [] []= +@ -@"
)
MEMBERS = frozenset(_MEMBERS.split())
"""Methods of common values: a call of one on an unknown receiver is never guessed."""
_OF_CONTAINERS = {
    "element": "first last find detect pop shift sample min_by max_by fetch at dig delete delete_at []",
    "self": "select filter reject compact sort sort_by uniq reverse to_a each each_with_index reverse_each concat push"
    " append unshift prepend shuffle take drop find_all freeze dup tap << + - & |",
    "result": "map flat_map collect inject reduce sum each_with_object group_by partition zip to_h filter_map"
    " values_at * == != === =~ <=> []=",
}
CONTAINER_METHODS = {name: given for given, names in _OF_CONTAINERS.items() for name in names.split()}
"""Methods of arrays, by what they give; `result`, where that is not known."""
