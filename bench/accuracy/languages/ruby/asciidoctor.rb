# Converts a document with most of what AsciiDoc has, and the Markdown that comes with Ruby, into every format.
require "asciidoctor"
require "asciidoctor/extensions"

class Shout < Asciidoctor::Extensions::BlockProcessor
  use_dsl
  named :shout
  on_context :paragraph
  parse_content_as :simple

  def process(parent, reader, attributes) = create_paragraph(parent, reader.lines.map(&:upcase), attributes)
end

class Issue < Asciidoctor::Extensions::InlineMacroProcessor
  use_dsl
  named :issue

  def process(parent, target, _attributes) = create_anchor(parent, "##{target}", type: :link, target: "http://a.b/#{target}")
end

Asciidoctor::Extensions.register do
  block Shout
  inline_macro Issue
  preprocessor { process { |_document, reader| reader } }
  tree_processor { process { |document| document.find_by(context: :section).size && document } }
  postprocessor { process { |_document, output| output } }
  include_processor do
    handles? { |target| target.end_with?(".own") }
    process { |_doc, reader, target, attributes| reader.push_include("from own", target, target, 1, attributes) }
  end
end

sample = <<~'TEXT'
  = Title: A Subtitle
  First Author <a@b.org>; Second Writer
  v1.2, 2020-01-01: Remark
  :toc:
  :sectnums:
  :icons: font
  :stem:
  :source-highlighter: rouge
  :own: value
  :xrefstyle: full

  Preamble with *bold*, _italic_, `mono`, #mark#, "`quotes`", ^up^, ~down~, {own}, {counter:n}, (C) -- and http://a.org[link].

  [abstract]
  Words of the abstract. footnote:[A note.] issue:12[] kbd:[Ctrl+C] btn:[OK] menu:File[Open]

  == Section <<other,there>> [[here]]

  [quote, Someone, Somewhere]
  ____
  Quoted
  ____

  [shout]
  hello

  NOTE: A note.

  [WARNING]
  ====
  . One
  .. Two
  * [x] done
  ** [ ] open
  +
  attached

  term:: definition
  other:: definition
  [qanda]
  Q:: A
  ====

  [source,ruby,linenums]
  .A listing
  ----
  puts 1 # <1>
  include::nothing.txt[]
  ----
  <1> One call

  [%header,cols="1,2a,>3m",options="footer"]
  .Table
  |===
  |a |b |c
  |1 |* two |3
  2+|wide |x
  .2+|tall |y |z
  |===

  ,===
  a,"b ""c"""
  ,===

  image::a.png[Alt,100,200,link=http://a.org]
  image:b.svg[opts=inline] icon:heart[2x] video::c.mp4[] audio::d.ogg[]

  ifdef::own[]
  Shown
  endif::[]
  ifeval::["{own}" == "value"]
  Equal
  endif::[]
  include::x.own[]

  [[other]]
  === Other
  stem:[x^2] latexmath:[y] pass:q[*raw*] +++<u>raw</u>+++ indexterm:[a,b] ((shown)) anchor:at[] xref:here[] <<here>>

  [stem]
  ++++
  x = y
  ++++

  [verse]
  A line
  a second

  .Example
  ====
  inside
  ====

  ****
  sidebar
  ****

  ....
  literal
  ....

  --
  open
  --

  '''
  <<<

  [appendix]
  == Appendix
  [glossary]
  == Glossary
  [bibliography]
  == Books
  * [[[one]]] A book
TEXT
texts = [sample, "= name(1)\nA <a@b.c>\n:doctype: manpage\n:manmanual: M\n\n== NAME\n\nname - does\n\n== SYNOPSIS\n\n*name* _x_\n\n#{sample[/== Section.*/m]}"]
texts += Dir[File.join(ENV.fetch("DOCUMENTS"), "**", "*.{md,adoc}")].sort.first(20).map { |path| File.read(path, encoding: "UTF-8") }
texts.each do |text|
  %w[html5 xhtml5 docbook5 manpage].each do |backend|
    %i[article book inline manpage].each do |doctype|
      options = { backend: backend, doctype: doctype, safe: :safe, standalone: doctype != :inline, sourcemap: true, catalog_assets: true }
      document = Asciidoctor.load(text, **options)
      document.convert
      document.blocks.each { |block| block.title }
      document.references
    rescue StandardError => error
      error.message
    end
  end
end
Asciidoctor.convert(sample, safe: :unsafe, attributes: "a=b c", to_file: false, template_dirs: nil)
Asciidoctor::Document.new(sample.lines, header_only: true).parse.doctitle(partition: true, sanitize: true)
