import Attachments
import FHIR

/// Finds and removes data in a resource that identifies a person, by the list of 45 CFR 164.514(b)(2). The same rule
/// applies to all incoming data (<https://www.ecfr.gov/current/title-45/section-164.514>).
///
/// It checks persons (Patient, RelatedPerson, Person, also contained ones), the display names of references to them,
/// signatures, and attachments. It does not check answers in free text, notes and clinical records: a form can ask for
/// anything, and clinical records are admitted only if the consent includes them. It does not check staff and
/// organizations either.
public struct IdentifyingData: Sendable {
    /// The rules for locations and ages.
    public var pseudonymization: Pseudonymization
    /// The reference day for computing ages.
    public var today: DateTime
    /// The rule for attachments.
    public var attachments: AttachmentCleaning

    /// Creates the rule for a day.
    public init(
        today: DateTime, attachments: AttachmentCleaning = AttachmentCleaning(),
        pseudonymization: Pseudonymization = Pseudonymization()
    ) {
        self.today = today
        self.attachments = attachments
        self.pseudonymization = pseudonymization
    }

    /// A resource from which identifying data is removed as far as possible.
    public struct Reduction: Sendable, Hashable {
        /// The resource. If data was removed, `meta.security` contains ``mark``.
        public let resource: Resource
        /// The elements that were removed or made less precise, such as `Patient.name`. They contain only FHIR's names.
        public let reduced: [String]
        /// The elements that cannot be reduced, such as a PDF, with the reasons.
        public let remaining: [AttachmentCleaning.Finding]

        /// Whether no identifying data was found.
        public var isEmpty: Bool { reduced.isEmpty && remaining.isEmpty }
    }

    /// The security label of a resource from which data was removed
    /// (<https://terminology.hl7.org/CodeSystem-v3-ObservationValue.html>).
    public static let mark = Coding(
        system: "http://terminology.hl7.org/CodeSystem/v3-ObservationValue", code: "REDACTED", display: "redacted")

    /// Removes the identifying data that it finds. The time is linear in the size of the resource.
    public func reduce(_ resource: Resource) -> Reduction {
        // 1. Persons, display names of references, signatures.
        var found: [String] = []
        let person = IdentifyingPerson(today: today, pseudonymization: pseudonymization)
        let type = resource.resourceType
        let changed = ElementRewriting.rewritten(resource.object) { element, path in
            var names: [String] = []
            if let type = element["resourceType"]?.string, IdentifyingPerson.types.contains(type) {
                names += person.reduce(&element)
            }
            if IdentifyingReference.reduce(&element, at: path, of: type) { names.append("display") }
            names += IdentifyingSignature.reduce(&element, at: path, of: type)
            guard !names.isEmpty else { return false }
            let elementPath = path.written(from: type, known: IdentifyingData.isName)
            found += names.map { "\(elementPath).\($0)" }
            return true
        }
        // 2. Attachments.
        let cleaned = attachments.clean(changed ?? resource.object)
        found += cleaned.findings.filter { $0.error == nil }.map(\.element)
        let remaining = cleaned.findings.filter { $0.error != nil }
        guard !found.isEmpty else { return Reduction(resource: resource, reduced: [], remaining: remaining) }
        var reduced = Resource(cleaned.object)
        var meta = reduced.meta ?? Meta()
        if !meta.security.contains(where: { $0.code == Self.mark.code && $0.system == Self.mark.system }) {
            meta.security += [Self.mark]
        }
        reduced.meta = meta
        return Reduction(resource: reduced, reduced: found, remaining: remaining)
    }

    /// Whether a name may be part of a reported path: only R4's own names. Other names are the sender's text.
    private static func isName(_ name: String) -> Bool { names.contains(name) }

    private static let names: Set<String> = {
        let model = TypeModel.r4
        return (0..<model.elementCount).reduce(into: []) { names, number in
            let element = model.declaration(Int32(number))
            names.insert(element.name)
            guard element.isChoice else { return }
            for target in element.types {
                let type = model.name(of: target.type)
                names.insert(element.name + type.prefix(1).uppercased() + type.dropFirst())
            }
        }
    }()
}

/// The handling of data that identifies a person.
public enum IdentifyingDataHandling: String, Sendable, CaseIterable {
    /// It is quarantined unchanged for a decision by the study team.
    case quarantine
    /// It is reduced before it is stored, and labelled.
    case reduce
    /// It is accepted: the study holds identified records.
    case accept

    /// Returns the resource as it may be stored.
    ///
    /// - Returns: the resource, and whether it was changed.
    /// - Throws: ``IdentifyingDataError`` if the resource must not be stored.
    public func admit(
        _ resource: Resource, by rule: IdentifyingData
    ) throws(IdentifyingDataError) -> (resource: Resource, isReduced: Bool) {
        guard self != .accept else { return (resource, false) }
        let reduction = rule.reduce(resource)
        guard !reduction.isEmpty else { return (resource, false) }
        guard self == .reduce, reduction.remaining.isEmpty else { throw IdentifyingDataError(reduction) }
        return (reduction.resource, true)
    }
}

/// The reason why a resource must not be stored: it identifies the person. The message contains names of elements, and
/// no values.
public struct IdentifyingDataError: CodedError, Hashable {
    /// The stable code.
    public var code: String { "identifying-data" }
    /// The elements, and the remedy.
    public let message: String

    /// Maximum number of elements in the message.
    private static let shown = 10

    init(_ reduction: IdentifyingData.Reduction) {
        var seen: Set<String> = []
        let elements = (reduction.reduced + reduction.remaining.map { "\($0.element) (\($0.error?.code ?? ""))" })
            .filter { seen.insert($0).inserted }
        let more = elements.count > Self.shown ? " and \(elements.count - Self.shown) more" : ""
        let advice =
            reduction.remaining.isEmpty
            ? "study.json can permit reduced data (identifyingData) or identified data (identifiedRecords)."
            : "The form's item can accept attachments unchanged (urn:tributary:attachment-as-is)."
        message = """
            The resource identifies the person: \(elements.prefix(Self.shown).joined(separator: ", "))\(more). \(advice)
            """
    }
}
