# Renders templates with every tag and standard filter of Liquid, some of them broken.
require "liquid"
require "liquid/profiler"

class Drop < Liquid::Drop
  def name = "drop"
  def items = [1, 2, 3]
  def liquid_method_missing(method) = method.to_s
end

class Shout < Liquid::Tag
  def initialize(tag, markup, context)
    super
    @markup = markup
  end

  def render(_context) = @markup.upcase
end

module Own
  def own(input) = "own #{input}"
end

class Partials
  def read_template_file(name) = "[{{ #{name} }}{{ item }}{% if forloop %}{{ forloop.index }}{% endif %}]"
end

Liquid::Template.register_tag("shout", Shout)
Liquid::Template.register_filter(Own)
Liquid::Template.file_system = Partials.new

templates = [
  "{{ a | upcase | append: 'x' | split: '' | join: '-' | own }} {{ d.name }} {{ d.other }} {{ list | first }}",
  "{% if a == 'b' and n > 1 or list contains 2 %}1{% elsif n %}2{% else %}3{% endif %}{% unless n < 3 %}u{% endunless %}",
  "{% for i in list limit: 2 offset: 1 reversed %}{{ forloop.index }}{{ i }}{% break %}{% else %}none{% endfor %}",
  "{% for i in (1..n) %}{% cycle 'a', 'b' %}{% ifchanged %}{{ i }}{% endifchanged %}{% continue %}{% endfor %}",
  "{% tablerow i in list cols: 2 %}{{ tablerowloop.col }}{% endtablerow %}{% case n %}{% when 1, 2 %}a{% else %}b{% endcase %}",
  "{% assign v = list | map: 'x' | compact %}{% capture c %}{{ v }}{% endcapture %}{{ c }}{% increment k %}{% decrement k %}",
  "{% include 'part' with a %}{% render 'part', item: n %}{% render 'part' for list as item %}{% comment %}{% raw %}{% endcomment %}",
  "{% raw %}{{ x }}{% endraw %}{% shout hello %}{% echo a | size %}{% liquid assign z = 1 \n echo z %}{{- n -}}{%- if n -%}{%- endif -%}",
  "{{ list | sort | reverse | uniq | where: 'a' | concat: list | last }}{{ '2020-01-01' | date: '%Y' }}{{ n | plus: 1 | times: 2.5 | round }}",
  "{{ a | escape | strip_html | newline_to_br | truncate: 5 | truncatewords: 2 | url_encode | replace: 'a', 'b' | remove: 'c' }}",
  "{{ n | minus: 1 | divided_by: 2 | modulo: 2 | abs | ceil | floor | at_least: 1 | at_most: 9 | default: 'q' }}{{ a | slice: 0, 2 | capitalize }}",
  "{{ missing.thing[0]['x'] | default: list[n].size }}{{ 'now' | date: '%s' }}{{ list | sort_natural | sum }}{{ a | base64_encode | base64_decode }}",
  "{% if %}", "{{ a | nofilter }}", "{% unknown %}", "{% for %}{% endfor %}", "{{ a.b | divided_by: 0 }}", "{% if a", "{{ a..b }}",
]
values = { "a" => "b<i>c</i>\nd", "n" => 3, "list" => [1, 2, 3, nil, { "x" => 1, "a" => 2 }], "d" => Drop.new }
templates.each do |text|
  %i[strict lax warn].each do |mode|
    template = Liquid::Template.parse(text, error_mode: mode, line_numbers: true, profile: true)
    template.render(values, strict_variables: mode == :strict, strict_filters: mode == :strict)
    template.errors.each(&:message)
    template.root.nodelist
    Liquid::ParseTreeVisitor.for(template.root).visit
    template.render!({ "a" => 1 }, registers: { x: 1 })
  rescue Liquid::Error => error
    error.to_s
  end
end
