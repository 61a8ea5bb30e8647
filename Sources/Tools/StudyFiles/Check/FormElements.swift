import FHIR

/// Elements that a form may lack, but that are then missing when answers are interpreted.
struct FormElements {
    private let questionnaire: Questionnaire
    private let offered: OfferedCodings

    init(_ questionnaire: Questionnaire, sets: PublishedValueSets) {
        self.questionnaire = questionnaire
        offered = OfferedCodings(of: questionnaire, valueSet: sets.valueSet)
    }

    /// Returns the findings. Each names the items that lack the element.
    func findings(file: String) -> [StudyFinding] { findings(of: questionnaire.item, file) }

    private func findings(of items: [Questionnaire.Item], _ file: String) -> [StudyFinding] {
        items.flatMap { item -> [StudyFinding] in
            func finding(_ code: String, names: [String], message: String) -> [StudyFinding] {
                guard !names.isEmpty else { return [] }
                return [
                    StudyFinding(
                        .warning, code: code, file: file, path: item.linkId ?? "",
                        message: "\(Self.list(names)): \(message)")
                ]
            }
            let texts = item.answerOption.compactMap { option -> String? in
                if case .string(let text)? = option.value { text } else { nil }
            }
            return finding(
                "option-without-concept", names: texts,
                message:
                    "An option that is a text has no concept of its own in the warehouse; give it a code (valueCoding)."
            )
                + finding(
                    "coding-without-system", names: codesWithoutSystem(of: item),
                    message: "A code without a system means nothing outside of this form; give it its system.")
                + findings(of: item.item, file)
        }
    }

    /// Returns the codes without a system of an item: its own, those of its options, and those in its conditions.
    private func codesWithoutSystem(of item: Questionnaire.Item) -> [String] {
        let compared = item.enableWhen.compactMap { condition -> Coding? in
            if case .coding(let coding)? = condition.answer { coding } else { nil }
        }
        var seen: Set<String> = []
        return (item.code + (offered.codings(of: item) ?? []) + compared).compactMap { coding in
            guard coding.system == nil, let code = coding.code, seen.insert(code).inserted else { return nil }
            return code
        }
    }

    /// Maximum number of names in a sentence.
    private static let shown = 10

    private static func list(_ names: [String]) -> String {
        let quoted = names.prefix(shown).map { "\"\($0.prefix(100))\"" }.joined(separator: ", ")
        return names.count > shown ? "\(quoted) and \(names.count - shown) more" : quoted
    }
}

extension StudyCheck {
    /// Returns the findings about missing elements by which responses refer to a form.
    ///
    /// - Parameter isInDSTU2: whether the form also exists in DSTU2, which has no url: then all its releases are
    ///   identified by the id.
    func nameFindings(of questionnaire: Questionnaire, in file: File, isInDSTU2: Bool) -> [StudyFinding] {
        func finding(
            _ severity: StudyFinding.Severity, code: String, path: String, message: String
        ) -> StudyFinding { StudyFinding(severity, code: code, file: file.name, path: path, message: message) }
        guard questionnaire.url != nil || questionnaire.id != nil else {
            return [
                finding(
                    .error, code: "form-without-name", path: "",
                    message: "It has neither url nor id, so that no response can name it.")
            ]
        }
        // A form in DSTU2 has no url, and responses to it have no version.
        guard file.published.release > .dstu2 else { return [] }
        var findings: [StudyFinding] = []
        if questionnaire.url == nil, !isInDSTU2 {
            findings.append(
                finding(
                    .warning, code: "form-without-url", path: "url",
                    message:
                        "It has no url: responses name it by its id alone, which other studies may have too; give it a url."
                ))
        }
        if questionnaire.version == nil {
            findings.append(
                finding(
                    .warning, code: "form-without-version", path: "version",
                    message:
                        "It has no version: after a change no response shows which questions were asked; give it a version."
                ))
        }
        return findings
    }
}
