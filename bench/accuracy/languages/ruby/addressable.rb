# Parses, changes, joins, normalizes and expands addresses, some of them broken.
require "addressable/uri"
require "addressable/template"
require "addressable/idna/pure"

texts = [
  "http://user:pw@www.Example.co.uk:8080/a/../b/./c.html?x=1&y[]=2&z#part", "https://www.詹姆斯.com/%7Ea b", "mailto:a@b.c",
  "../up?q", "//host/path", "", "HTTP://EXAMPLE.com:80", "urn:isbn:0451450523", "http://[::1]:3000/", "file:///tmp/a%20b", "?only", "#f",
  "http://a b/", "http:", ":bad", "1http://x", "http://user@:80", "http://example.com:bad/", "relative:path", "a:b@c",
]
uris = texts.filter_map do |text|
  Addressable::URI.parse(text)
rescue Addressable::URI::InvalidURIError => error
  error.message && nil
end
readers = %i[
  scheme user password userinfo host hostname tld domain authority origin port path query fragment site request_uri basename extname
  inferred_port default_port normalized_scheme normalized_user normalized_password normalized_userinfo normalized_host
  normalized_authority normalized_port normalized_site normalized_path normalized_query normalized_fragment ip_based? relative?
  absolute? normalize display_uri hash dup empty? to_s to_hash inspect query_values freeze
]
uris.each do |uri|
  readers.each do |name|
    uri.dup.public_send(name)
  rescue StandardError => error
    error.message
  end
end
changes = {
  scheme: "ftp", user: "u", password: "p", userinfo: "a:b", host: "ex.org", hostname: "::1", tld: "com", authority: "u@h:1", origin: "http://o.org",
  port: 99, path: "x/y", query: "a=b", fragment: "f", site: "http://s.org", request_uri: "/r?s", query_values: { "a" => ["1", "2"], "b" => nil, "c" => { "d" => "e" } },
}
changes.each do |name, value|
  uris.each do |uri|
    copy = uri.dup
    copy.public_send("#{name}=", value)
    [copy.to_s, copy.normalize.to_s]
    copy.public_send("#{name}=", nil)
  rescue StandardError => error
    error.message
  end
end
base = Addressable::URI.parse("http://example.com/a/b/c?d#e")
uris.each do |uri|
  [base.join(uri), base + uri, base.dup.join!(uri), base.route_to(uri), base.route_from(uri), base == uri, base === uri, base.eql?(uri)]
  [uri.omit(:scheme, :query), uri.dup.omit!(:path), uri.merge(host: "h"), base.dup.merge!(uri), uri.dup.normalize!]
  uri.dup.defer_validation { 1 }
rescue StandardError => error
  error.message
end
%w[example.com http:example.com www.example.com/path? feed://a.b mailto a@b.c C:/x http:///y].each do |text|
  Addressable::URI.heuristic_parse(text, scheme: "https")
rescue StandardError => error
  error.message
end
[["/usr/lib", "c:\\windows\\x.txt", "rel", "file:/x"].map { |path| Addressable::URI.convert_path(path) }, Addressable::URI.join("http://a/b", "c", "../d")]
["a b/é", "http://é.org/ü?ä#ö", "%7E%41"].each do |text|
  [Addressable::URI.encode(text), Addressable::URI.unencode(text), Addressable::URI.encode(text, Addressable::URI), Addressable::URI.normalized_encode(text)]
  [Addressable::URI.encode_component(text, "a-z"), Addressable::URI.normalize_component(text), Addressable::URI.unencode_component(text)]
  [Addressable::URI.form_encode({ "k" => text, "l" => [text, "m"] }, true), Addressable::URI.form_unencode("a=b+c&d=%20")]
end
[base.query_values(Array), Addressable::URI.parse("?a&b=1&b=2&c=").query_values, Addressable::URI.parse("?a=1").query_values(Array)]

module Processor
  def self.restore(_name, value) = value.tr(".", " ")
  def self.match(_name) = ".*?"
  def self.validate(_name, value) = !value.nil?
  def self.transform(_name, value) = value.to_s.tr(" ", ".")
end

patterns = [
  "http://x.org/{a}/{b}{?c,d*}{#e}", "{+path}{/seg*}{;m,n}{.ext}{&more:3}", "http://{host=localhost}/{-join|&|a,b}", "/{-suffix|/|s}{-prefix|/|p}{-opt|o|a}{-neg|n|z}",
  "{&list*}", "plain", "{a:2}", "{?hash*}", "{-list|,|l}",
]
values = { "a" => "one two", "b" => "é", "c" => %w[x y], "d" => { "k" => "v" }, "e" => "f", "path" => "/p/q", "seg" => %w[s t], "m" => 1, "n" => "", "hash" => { "a" => "b" } }
patterns.each do |pattern|
  template = Addressable::Template.new(pattern)
  [template.variables, template.variable_defaults, template.inspect, template == Addressable::Template.new(pattern), template.source, template.to_regexp, template.names]
  [template.expand(values), template.expand(values, nil, false), template.partial_expand({ "a" => "1" }), template.partial_expand({ "c" => "1" }).expand(values), template.named_captures]
  ["http://x.org/1/2?c=3&d=4#5", "/p/s/t;m=1;n=2.html", "plain", "http://localhost/a=1&b=2"].each do |text|
    template.extract(text)
    template.extract(text, Processor)
    found = template.match(text, Processor)
    found && [found.variables, found.values, found.mapping, found["a"], found[0], found[0, 2], found.to_a, found.to_s, found.values_at("a", 0), found.inspect, found.pre_match, found.post_match]
  rescue StandardError => error
    error.message
  end
  template.expand(values, Processor)
  template.freeze
rescue StandardError => error
  error.message
end
["http://www.詹姆斯.com/".b, "bücher", "ＡＢＣ", "가각힣", "e\u0301", "a.b", "ß.de"].each do |text|
  encoded = Addressable::IDNA.to_ascii(text)
  [Addressable::IDNA.to_unicode(encoded), Addressable::IDNA.to_unicode("xn--bcher-kva.de"), Addressable::IDNA.unicode_normalize_kc(text)]
rescue StandardError => error
  error.message
end
