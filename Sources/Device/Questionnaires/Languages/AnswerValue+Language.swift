import FHIR

extension AnswerValue {
    /// Returns the text that is shown to people in a language: `yes` and `no` are translated, and the display text of a
    /// coding if it has a translation.
    ///
    /// For an answer to a question with options, ``FormItem/label(of:in:)`` also knows the designations of value sets.
    public func text(in language: String?, from table: SentenceTable = .standard) -> String {
        switch type {
        case "Boolean": json.bool.map { Sentence($0 ? "yes" : "no").text(in: language, from: table) } ?? text
        case "Coding":
            language.flatMap { LanguageTag($0) }.flatMap { coding?.display(in: $0) } ?? text
        default: text
        }
    }
}

extension FormItem {
    /// Returns the text of an answer to the question that is shown to people: the label of the option that it is,
    /// otherwise its own text.
    ///
    /// - Parameter language: the language of our own words, such as yes and no.
    public func label(of answer: AnswerValue, in language: String? = nil) -> String {
        options?.first { answer.equals($0.value) }?.label ?? answer.text(in: language)
    }
}
