# Runs the examples that come with Parslet, its grammars in other forms, accelerators, and parsers that fail.
require "parslet"
require "parslet/convenience"
require "parslet/export"
require "parslet/accelerator"
require "stringio"

class Calculator < Parslet::Parser
  rule(:number) { (match["0-9"].repeat(1) >> str(".").maybe).as(:number) >> space? }
  rule(:space?) { match("\\s").repeat }
  rule(:operator) { match["*/+-"].as(:operator) >> space? }
  rule(:sum) { infix_expression(number, [str("*") >> space?, 2, :left], [str("+") >> space?, 1, :right]) }
  rule(:text) { str('"') >> (str("\\") >> any | str('"').absent? >> any).repeat.as(:text) >> str('"') }
  rule(:list) { (sum | text).repeat(1, 3) >> (str(",").present? >> str(",") >> list).maybe }
  rule(:scoped) { scope { str("a").capture(:a) >> dynamic { |_source, context| str(context.captures[:a]) } } }
  root(:list)
end

class Sums < Parslet::Transform
  rule(number: simple(:x)) { Integer(x) }
  rule(l: subtree(:l), o: simple(:o), r: sequence(:r)) { |all| [all[:l], all[:r]] }
  rule(text: subtree(:text)) { text }
end

include Parslet

kept, $stdout = $stdout, StringIO.new
begin
  Dir[File.join(ENV.fetch("PACKAGES"), "share/doc/ruby-parslet/examples/*.rb")].sort.each do |path|
    Dir.chdir(File.dirname(path)) { load path, true }
  rescue ScriptError, StandardError, SystemExit => error
    error.message
  end
  parser = Calculator.new
  reporters = [Parslet::ErrorReporter::Tree, Parslet::ErrorReporter::Deepest, Parslet::ErrorReporter::Contextual]
  ["1 + 2*3", '"a\\"b"', "1,2,3", "12", "x", "1 +", "1 2 3 4", ""].each do |text|
    Sums.new.apply(parser.parse(text))
    Sums.new.apply(parser.parse_with_debug(text))
  rescue Parslet::ParseFailed => error
    [error.message, error.parse_failure_cause.ascii_tree]
    reporters.each do |reporter|
      parser.parse(text, reporter: reporter.new, prefix: true)
    rescue Parslet::ParseFailed => other
      other.parse_failure_cause.ascii_tree
    end
  end
  [str("a").absent?, any >> match["x"].repeat(1, 2).as(:b)].each { |atom| Class.new(Parslet::Parser) { rule(:own) { atom | str("z") }; root(:own) }.new.then { |each| [each.to_citrus, each.to_treetop] } }
  [parser.inspect, parser.list.inspect, parser.scoped.parse("aa")]
  atoms = [str("a"), match["a-z"], any, str("a") | str("b"), str("a").repeat, str("a").maybe, str("a").absent?, parser.sum]
  atoms.each { |atom| [atom.to_s, atom.inspect, atom.precedence] }
  [exp("'a' / 'b'?").parse("a"), exp("('x' 'y')+").inspect, str("a").ignore.inspect]
  [(str("a").as(:x) >> str("b").as(:y)).parse("ab"), str("a").as(:x).repeat.parse("aaa")]
  slice = str("abc").parse("abc")
  [slice.line_and_column, slice + slice, slice == "abc", slice.to_sym, slice.size, slice.inspect, slice.match(/b/)]
  [slice.to_str, str("12").parse("12").to_i, str("1.5").parse("1.5").to_f, slice.hash]
  Parslet::Pattern.new(a: simple(:x)).match({ a: "1" })
  rules = [Parslet::Accelerator.rule((str(:x) >> any).absent?) { str(:x).absent? }]
  Parslet::Accelerator.apply(parser, *rules, Parslet::Accelerator.rule(Parslet::Accelerator.str(:x).repeat) { GobbleUp.new(x) })
  Parslet::Accelerator.match(str("a") >> str("b"), Parslet::Accelerator.str(:x) >> Parslet::Accelerator.str(:y))
rescue ScriptError, StandardError => error
  warn error.full_message
ensure
  $stdout = kept
end
