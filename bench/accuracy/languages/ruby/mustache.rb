# Renders templates with every tag of Mustache, some of them broken, and views that are classes.
require "mustache"

class Own < Mustache
  self.template = "{{greeting}} {{#people}}{{name}}, {{/people}}{{^none}}nobody{{/none}}{{> part}}"

  def greeting = "hi"
  def people = [{ name: "a" }, { name: "b" }]
  def none = []
  def partial(name) = "[#{name} {{greeting}}]"
end

class Named < Mustache
  self.template_path = "/nonexistent"
  self.template_name = "named"
  self.raise_on_context_miss = true
end

texts = [
  "{{a}} {{{a}}} {{&a}} {{! comment }}{{=<% %>=}}<% a %><%={{ }}=%>{{a.b.c}} {{.}}",
  "{{#list}}{{.}}{{#inner}}{{x}}{{/inner}}{{/list}}{{^list}}none{{/list}}{{#fn}}text {{a}}{{/fn}}",
  "  {{#a}}\n  {{b}}\n  {{/a}}\n{{> missing}}\n{{#a.b}}{{c}}{{/a.b}}{{missing}}",
  "{{#open}}", "{{/closed}}", "{{#a}}{{/b}}", "{{", "{{{a}}", "{{#a b}}",
]
data = { a: { b: { c: 1 } }, list: [1, { inner: [{ x: 2 }] }], fn: ->(text) { text.upcase } }
texts.each do |text|
  Mustache.render(text, data)
  template = Mustache::Template.new(text)
  [template.tokens, template.tags, template.sections, template.partials, template.compile]
  view = Mustache.new
  view.template = text
  view[:a] = 1
  [view.render(data), view.render, view[:a], view.compiled?, view.context.current, view.context.has_key?(:a)]
rescue Mustache::Parser::SyntaxError, StandardError => error
  error.to_s
end
[Own.render, Own.new.render, Own.new.render("x {{greeting}}"), Own.compiled?, Own.template_file]
[Mustache.view_class("own"), Mustache.classify("a_b/c"), Mustache.underscore("AbC::De"), Mustache.path]
begin
  Named.render
rescue StandardError => error
  error.to_s
end
