/// A sentence for people: a template with parameters, which can be written in several languages.
///
/// The template is the English sentence with `{1}`, `{2}` ... for the parameters. A literal with interpolated values is
/// a sentence:
///
/// ```swift
/// let sentence: Sentence = "The answer is longer than \(8) characters."
/// print(sentence.template)  // The answer is longer than {1} characters.
/// print(sentence.text(in: "de"))  // Die Antwort ist länger als 8 Zeichen.
/// ```
public struct Sentence: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The English sentence with `{1}`, `{2}` ... for the parameters.
    public let template: String
    /// The values of the parameters.
    public let parameters: [String]
    /// The parameters that are sentences themselves, by their index.
    private let sentences: [Int: Sentence]

    /// Creates a sentence without parameters.
    public init(_ text: String) {
        self.init(template: text, parameters: [])
    }

    /// Creates a sentence from a template and the values of its parameters.
    public init(template: String, parameters: [String]) {
        self.init(template: template, parameters: parameters, sentences: [:])
    }

    private init(template: String, parameters: [String], sentences: [Int: Sentence]) {
        self.template = template
        self.parameters = parameters
        self.sentences = sentences
    }

    public init(stringLiteral value: String) { self.init(value) }

    public init(stringInterpolation: StringInterpolation) {
        self.init(
            template: stringInterpolation.template, parameters: stringInterpolation.parameters,
            sentences: stringInterpolation.sentences)
    }

    /// The parts of a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        var template = ""
        var parameters: [String] = []
        var sentences: [Int: Sentence] = [:]

        public init(literalCapacity: Int, interpolationCount: Int) {
            template.reserveCapacity(literalCapacity + 3 * interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) { template += literal }

        /// Appends a parameter.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            parameters.append(value.description)
            template += "{\(parameters.count)}"
        }

        /// Appends a parameter that is a sentence, which is written in the language of the whole.
        public mutating func appendInterpolation(_ sentence: Sentence) {
            sentences[parameters.count] = sentence
            appendInterpolation(sentence.text)
        }
    }

    /// The English sentence.
    public var text: String { Self.filled(template, with: parameters) }

    /// Returns the sentence in a language: in that of the tag, otherwise of a less particular tag (`de-CH`, then `de`),
    /// otherwise in English.
    ///
    /// - Parameters:
    ///   - language: a BCP 47 tag; nil for English.
    ///   - table: the sentences in other languages.
    public func text(in language: String?, from table: SentenceTable = .standard) -> String {
        let template = table.template(template, in: language) ?? template
        var parameters = parameters
        for (index, sentence) in sentences { parameters[index] = sentence.text(in: language, from: table) }
        return Self.filled(template, with: parameters)
    }

    /// Returns the template with its parameters. Braces in parameters remain.
    static func filled(_ template: String, with parameters: [String]) -> String {
        guard !parameters.isEmpty else { return template }
        var result = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            rest = rest[open...]
            guard let close = rest.firstIndex(of: "}"), let number = Int(rest[rest.index(after: open)..<close]),
                parameters.indices.contains(number - 1)
            else {
                result += "{"
                rest = rest.dropFirst()
                continue
            }
            result += parameters[number - 1]
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    /// Returns the numbers of the parameters in a template.
    static func placeholders(in template: String) -> Set<Int> {
        Set(template.matches(of: /\{([0-9]{1,2})\}/).compactMap { Int($0.1) })
    }
}
