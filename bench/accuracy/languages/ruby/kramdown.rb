# Converts all Markdown that comes with Ruby itself into everything that kramdown writes.
require "kramdown"

Dir[File.join(ENV.fetch("DOCUMENTS"), "**", "*.md")].sort.each do |path|
  text = File.read(path, encoding: "UTF-8")
  %w[Kramdown GFM Markdown].each do |input|
    next if input == "GFM" && !Kramdown::Parser.const_defined?(:GFM)
    document = Kramdown::Document.new(text, input: input, auto_ids: true, header_offset: 1)
    %i[to_html to_latex to_man to_kramdown to_toc to_hash_ast to_remove_html_tags].each { |writer| document.public_send(writer) }
  end
end
sample = <<~TEXT
  # Head {#own}
  {:toc}

  * list
  {: .class key="value"}

  1. one
     ***

  term
  : definition with `code`{:.ruby} and $$x^2$$

  | a | b |
  |---|--:|
  | 1 | 2 |
  {: #table}

  <div markdown="1">*inner* <br/> &amp; &copy; text</div>

  A footnote[^1], an abbreviation HTML, ![image](a.png "title"), <http://example.org>, [link][ref] -- "quoted" ...
  {::comment}hidden{:/comment}
  {::nomarkdown}raw{:/}
  {::options auto_ids="false" /}

  [^1]: The note.
  *[HTML]: HyperText
  [ref]: http://example.com "Title"

  > quote

      code block

  ~~~ ruby
  puts 1
  ~~~
  ^
  $$
  x
  $$
TEXT
%w[Kramdown Html Markdown].each do |input|
  document = Kramdown::Document.new(input == "Html" ? Kramdown::Document.new(sample).to_html : sample, input: input)
  %i[to_html to_latex to_man to_kramdown to_hash_ast].each { |writer| document.public_send(writer) }
  document.warnings
end
