import FHIR

/// The codes that R4 allows in elements with a required binding, and the code systems of concepts that were codes
/// before (<https://hl7.org/fhir/R4/terminologies.html#required>).
struct RequiredCodes: Sendable {
    static let r4 = RequiredCodes(text: text)

    private enum Values: Sendable {
        /// Systems with their codes.
        case listed([(system: String, codes: Set<String>)])
        /// The names of types.
        case types
    }

    private var byPath: [String: Values] = [:]

    private init(text: StaticString) {
        for line in text.description.split(separator: "\n") {
            let parts = line.split(separator: "|")
            guard let paths = parts.first, parts.count > 1 else { continue }
            var values = Values.types
            if parts[1] != "*" {
                values = .listed(
                    parts.dropFirst().map { part in
                        let words = part.split(separator: " ").map(String.init)
                        return (words.first ?? "", Set(words.dropFirst()))
                    })
            }
            for path in paths.split(separator: " ") { byPath[String(path)] = values }
        }
    }

    /// Whether the element allows the code; true if the codes of the element are not known.
    func allows(_ code: String, at path: String) -> Bool {
        switch byPath[path] {
        case nil: true
        case .listed(let systems): systems.contains { $0.codes.contains(code) }
        case .types: code == "Any" || code == "Type" || TypeModel.r4.type(code) != nil
        }
    }

    /// Whether the element's codes are names of types.
    func namesTypes(at path: String) -> Bool {
        if case .types = byPath[path] { true } else { false }
    }

    /// Returns the system of the code in the element's value set; nil if the value set does not contain it.
    func system(of code: String, at path: String) -> String? {
        guard case .listed(let systems) = byPath[path] else { return nil }
        return systems.first { $0.codes.contains(code) }?.system
    }
}
