import FHIR

/// The rule by which answers become Observations; an item has the rule of the nearest item above that names one
/// (<https://hl7.org/fhir/uv/sdc/StructureDefinition-sdc-questionnaire-observationExtract.html>).
struct ObservationRule {
    /// The relation of an Observation to that of the nearest extracted item above.
    enum Relation: String {
        /// It is a component of the other one.
        case component
        /// The other one names it as a member.
        case member
        /// It names the other one as its source.
        case derived
        /// There is no relation.
        case independent
    }

    /// The Observation above an item.
    struct Parent {
        /// The index of its entry; for a component, that of the Observation that contains it.
        let entry: Int
    }

    /// Nil if answers are not extracted.
    var relation: Relation?
    /// The categories of the Observations.
    var categories: [JSON] = []
    var parent: Parent?

    /// The codes of an item that are extracted, and the relation.
    struct Codes {
        let codings: [JSON]
        let relation: Relation
        let categories: [JSON]
    }

    /// Returns the relation that extensions name: nil without the extension, `.some(nil)` if it stops the extraction.
    static func relation(_ extensions: [Extension]) -> Relation?? {
        guard let value = extensions.first(where: { $0.url == OperationExtension.observationExtract })?.value else {
            return nil
        }
        if let flag = value.json.bool { return .some(flag ? .independent : nil) }
        return value.json.string.flatMap(Relation.init(rawValue:)).map { .some($0) }
    }

    static func categories(_ extensions: [Extension]) -> [JSON] {
        extensions.filter { $0.url == OperationExtension.observationCategory }.compactMap { $0.value?.json }
    }

    /// Returns the codes of an item that its Observations have; nil if it has none.
    ///
    /// If one of the codes has the extension with true or a relation, only such codes are extracted. Codes with false
    /// are never extracted.
    func codes(of item: Questionnaire.Item) -> Codes? {
        var chosen: [Coding] = []
        var others: [Coding] = []
        var ofCode: Relation?
        var categories: [JSON] = []
        for code in item.code {
            switch Self.relation(code.extension) {
            case .none: others.append(code)
            case .some(.none): break
            case .some(.some(let relation)):
                chosen.append(code)
                categories += Self.categories(code.extension)
                if ofCode == nil || ofCode == .independent { ofCode = relation }
            }
        }
        if chosen.isEmpty, relation != nil { chosen = others }
        // A code with the relation true has the relation of its item, if the item names another one.
        let relation = ofCode == .independent ? self.relation ?? .independent : ofCode ?? self.relation
        guard !chosen.isEmpty, let relation else { return nil }
        return Codes(
            codings: chosen.map(Self.withoutRule), relation: relation,
            categories: categories.isEmpty ? self.categories : categories)
    }

    /// Returns a code without the extensions of the extraction.
    private static func withoutRule(_ code: Coding) -> JSON {
        var code = code
        code.extension = code.extension.filter {
            $0.url != OperationExtension.observationExtract && $0.url != OperationExtension.observationCategory
        }
        return code.json
    }
}
