# Runs commands of every kind, with options of every type, groups, actions on files, and what they print.
require "thor"
require "thor/group"
require "thor/actions"
require "thor/runner"
require "stringio"
require "tmpdir"

class Sub < Thor
  desc "one NAME", "Does one"
  method_option :loud, type: :boolean, aliases: %w[-l], desc: "Loudly"
  def one(name = "x") = puts(options[:loud] ? name.upcase : name)

  desc "two", "Does two"
  def two = invoke(:one, ["y"])
end

class Start < Thor::Group
  include Thor::Actions
  argument :name, type: :string, desc: "What it is called"
  argument :others, type: :array, optional: true, desc: "More"
  class_option :test, default: "unit", desc: "The tests"
  class_option :engine, type: :boolean, default: true
  invoke_from_option :engine
  invoke :sub
  desc "Starts"
  def self.source_root = Dir.pwd
  def create = create_file("#{name}.txt", "made\n")
  def tell = say("#{name} #{others}")
  def sub = nil
  hook_for(:x) if respond_to?(:hook_for)
rescue StandardError
  nil
end

class App < Thor
  include Thor::Actions
  package_name "App"
  add_runtime_options!
  class_option :verbose, type: :boolean, aliases: "-v", group: :global, desc: "Says more"
  map "-T" => :list, %w[--version] => :version
  default_command :list
  check_unknown_options! except: [:rest]
  stop_on_unknown_option! :rest
  disable_required_check! :rest
  def self.exit_on_failure? = false
  def self.source_root = Dir.pwd
  source_paths << Dir.pwd

  desc "list [A]", "Lists"
  long_desc <<~TEXT
    Lists all that there is, in a text that is so long that it is wrapped where the terminal that it is shown in ends.
    \x5 And goes on.
  TEXT
  method_options count: :numeric, names: :array, more: :hash, kind: %w[a b]
  method_option :level, type: :string, enum: %w[low high], default: "low", banner: "L", lazy_default: "high", hide: false
  method_option :many, type: :string, repeatable: true
  def list(a = nil) = say("#{a} #{options.inspect}", :green)

  desc "need", "Needs"
  method_option :must, required: true, type: :numeric
  def need(one, two = "b") = say([one, two, options.must?].inspect)

  desc "rest", "Takes all"
  def rest(*all) = say(all.inspect)

  desc "hidden", "Not shown", hide: true
  def hidden = raise(Thor::Error, "no")

  desc "sub COMMAND", "More commands"
  subcommand "sub", Sub
  register Start, "start", "start NAME", "Starts"

  desc "files", "Changes files"
  def files
    empty_directory "dir"
    create_file("dir/a.rb") { "class A\n  # off\nend\nmodule M\nend\n" }
    create_file "dir/a.rb", "class A\n  # off\nend\nmodule M\nend\n"
    create_file "dir/a.rb", "other", force: true
    create_file "dir/a.rb", "class A\n  # off\nend\nmodule M\nend\n", skip: true
    create_file "dir/c.rb", "class A\n  # off\nend\nmodule M\nend\n"
    File.write("t.tt", "<%= 1 + 1 %>\n")
    template "t.tt", "dir/t.txt"
    template("t.tt", "dir/u.txt") { |text| text.upcase }
    copy_file "t.tt", "dir/copy.tt", mode: :preserve
    copy_file("t.tt", "dir/copy2.tt") { |text| text * 2 }
    link_file "t.tt", "dir/link.tt"
    create_link "dir/other.tt", "t.tt"
    get("t.tt", "dir/got.tt") { |text| text }
    directory "dir", "copied"
    directory "dir", "copied2", recursive: false, exclude_pattern: /link/
    prepend_to_file "dir/c.rb", "# first\n"
    append_to_file("dir/c.rb") { "# last\n" }
    inject_into_class "dir/c.rb", "A", "  def x; end\n"
    inject_into_module "dir/c.rb", "M", "  def y; end\n"
    insert_into_file "dir/c.rb", "# mid\n", after: "class A\n"
    insert_into_file "dir/c.rb", "# mid\n", before: /module/, force: true
    gsub_file "dir/c.rb", /x/, "z"
    gsub_file("dir/c.rb", "y") { |found| found.upcase }
    comment_lines "dir/c.rb", /def/
    uncomment_lines "dir/c.rb", /off/
    chmod "dir/c.rb", 0o644
    inside("dir", verbose: true) { |_path| run "true", verbose: false }
    in_root { run_ruby_script "x.rb", pretend: true }
    apply "ext.rb"
    thor :list, 1, verbose: true, pretend: true
    remove_file "dir/copy.tt"
    remove_file "nothing"
    [destination_root, source_paths, find_in_source_paths("t.tt"), relative_to_original_destination_root(Dir.pwd)]
    with_padding { say_status :inside, "padding", :blue }
  end

  desc "shows", "Prints"
  def shows
    say "plain"
    say "bold ", [:bold, :red]
    say_error "bad"
    say_status "kept", "x", true
    error "oops"
    print_table [%w[a bb], ["ccc", 1], [nil, "e" * 200]], indent: 2, truncate: 40, colwidth: 10
    print_table [%w[a bb]], borders: true
    print_in_columns %w[a b c]
    print_wrapped "word " * 60, indent: 3
    [set_color("x", :red, :bold), terminal_width, shell.is_a?(Thor::Shell::Basic)]
    [yes?("sure?"), no?("really?", :red), ask("name?", limited_to: %w[a b], case_insensitive: true), ask("other?", default: "d"), ask("file?", path: true), ask("hid?", echo: false)]
    shell.mute { say "muted" }
    shell.indent(2) { say "indented" }
    shell.padding = 1
    file_collision("x") { "content" }
  end

  no_commands { def helping = 1 }
  remove_command :nothing
  no_commands { private def own = 1 }
end

runs = [
  [], %w[list], %w[list x --count 3 --names a b --more k:v l:m --kind a --level low --many 1 --many 2 -v], %w[list --count x], %w[list --level mid],
  %w[list --level], %w[list --no-verbose --names=a], %w[-T], %w[--version], %w[need], %w[need 1 --must 2], %w[need 1 2 3 --must=2], %w[need 1], %w[rest a --unknown -x], %w[list --unknown],
  %w[hidden], %w[help], %w[help list], %w[help sub], %w[sub], %w[sub help], %w[sub help one], %w[sub one z -l], %w[sub two], %w[start app o p], %w[start], %w[nothing], %w[lis], %w[h], %w[files], %w[files --pretend], %w[files --force], %w[files -q --skip], %w[shows],
]
kept = [$stdout, $stderr, $stdin]
Dir.mktmpdir do |folder|
  Dir.chdir(folder) do
    File.write("ext.rb", "say 'applied'\n")
    File.write("own.thor", "class Own < Thor\n  desc 'go', 'Goes'\n  def go(a = 1) = puts(a)\nend\nmodule In\n  class Deep < Thor\n    namespace :deep\n    desc 'down', 'D'\n    def down = 1\n  end\nend\n")
    ENV["HOME"] = folder
    shells = [Thor::Shell::Basic, Thor::Shell::Color, Thor::Shell::HTML]
    shells.each do |shell|
      runs.each do |words|
        $stdout, $stderr, $stdin = StringIO.new, StringIO.new, StringIO.new("y\nn\na\n\nf\np\nY\nd\nq\n" * 5)
        App.start(words, shell: shell.new)
      rescue ScriptError, StandardError, SystemExit => error
        error.message
      end
    end
    [%w[files], []].each do |words|
      App.new([], {}, destination_root: folder, behavior: :revoke).invoke(*words)
    rescue ScriptError, StandardError, SystemExit => error
      error.message
    end
    [%w[help], %w[list], %w[list own], %w[own:go 3], %w[help own:go], %w[deep:down], %w[install own.thor --as me --force], %w[installed], %w[update me], %w[uninstall me], %w[version], %w[no:such]].each do |words|
      $stdout, $stderr, $stdin = StringIO.new, StringIO.new, StringIO.new("y\n" * 9)
      Thor::Runner.start(words)
    rescue ScriptError, StandardError, SystemExit => error
      error.message
    end
    %w[app a b].each { |name| Start.start([name, "1"], behavior: :skip) }
    [%w[-h], []].each do |words|
      Start.start(words)
    rescue ScriptError, StandardError, SystemExit => error
      error.message
    end
    hash = Thor::CoreExt::HashWithIndifferentAccess.new("a" => 1, "b" => nil)
    [hash[:a], hash.a, hash.b?, hash.fetch(:a), hash.key?(:a), hash.values_at(:a), hash.merge(c: 2), hash.merge!(d: 3), hash.reverse_merge(e: 4), hash.except(:a), hash.delete(:a), hash.replace(z: 1), hash.to_hash]
    util = Thor::Util
    [util.find_by_namespace("app"), util.namespace_from_thor_class("Some::Class"), util.snake_case("FooBar"), util.camel_case("foo_bar"), util.user_home, util.thor_root, util.thor_root_glob, util.globs_for("/x"), util.ruby_command, util.escape_globs("[a]"), util.escape_html("<a>")]
    [util.find_class_and_command_by_namespace("app:list"), util.namespaces_in_content("class X < Thor; end")]
    Thor::Options.new({ a: Thor::Option.parse(:a, :boolean), b: Thor::Option.parse(%i[b -b], 3), c: Thor::Option.parse(:c, []) }).parse(%w[--a -b 5 --c 1 2 -- x])
    [Thor::Options.to_switches(a: true, b: 1, c: %w[x y], d: { e: 1 }, f: nil), Thor::Arguments.parse([Thor::Argument.new("n", type: :hash)], %w[a:b]), App.printable_commands, App.all_commands.each_value(&:hidden?)]
    App.remove_class_option(:verbose)
    App.remove_argument(:nothing)
  rescue ScriptError, StandardError, SystemExit => error
    kept[1].puts error.full_message
  end
end
$stdout, $stderr, $stdin = kept
