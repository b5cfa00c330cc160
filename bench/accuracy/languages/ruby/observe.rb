# Runs a program and writes the calls inside a folder that it makes, with the folder's definitions, as JSON.
#
#     ruby observe.rb OUT ROOT PROGRAM
#
# A call is [path, line, name, path, line]: where the caller stands, what it called, where that begins. Definitions are
# [path, kind, name, first line, first column, last line], columns in bytes, in Ruby's own reading, names of classes as
# they are written (`A::B`); classes are [name,
# names], each with what it has methods of, as it was when the program ended.
require "json"
require "set"

out, root, program = ARGV
root = File.realpath(root) + "/"
calls = Set.new
trace = TracePoint.new(:call) do |point|
  if point.path.start_with?(root) && (caller = caller_locations(2, 1).first) && caller.path.start_with?(root)
    calls << [caller.path, caller.lineno, point.callee_id, point.path, point.lineno]
  end
end
trace.enable { load program }

def path_of(node) = [(path_of(node.children[0]) if node.type == :COLON2 && node.children[0]), node.children.last].compact.join("::")

def defined_in(node, found, lines)
  return unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)
  name = case node.type
         when :DEFN then node.children[0]
         when :DEFS then node.children[1]
         when :CLASS, :MODULE then path_of(node.children[0])
         when :CDECL then node.children[0] if lines[node.first_lineno - 1].match?(/=\s*(Class|Struct|Module)\.new/)
         end
  found << [node.type, name, node.first_lineno, node.first_column, node.last_lineno] if name
  node.children.each { |child| defined_in(child, found, lines) }
end

definitions = Dir[root + "**/*.rb"].sort.flat_map do |path|
  found = []
  defined_in(RubyVM::AbstractSyntaxTree.parse_file(path), found, File.readlines(path))
  found.map { |each| [path.delete_prefix(root), *each] }
end
name_of = Module.instance_method(:name)
classes = ObjectSpace.each_object(Module).filter_map do |mod|
  name = name_of.bind_call(mod)
  above = (mod.ancestors + mod.singleton_class.ancestors - [mod]).filter_map { |each| name_of.bind_call(each) }
  name && [name, above.uniq]
end
shown = calls.map { |from, line, name, to, at| [from.delete_prefix(root), line, name, to.delete_prefix(root), at] }
File.write(out, JSON.generate("calls" => shown, "definitions" => definitions, "classes" => classes))
