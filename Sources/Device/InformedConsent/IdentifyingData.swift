import Attachments
import FHIR

/// Finds what in a resource tells who a person is, and takes it out, by the list of 45 CFR 164.514(b)(2): one rule for all
/// that comes, whichever way (<https://www.ecfr.gov/current/title-45/section-164.514>).
///
/// Looked at are persons (Patient, RelatedPerson, Person; contained ones too), the names beside references to them,
/// signatures, and attachments. Answers in words, notes and what hospitals wrote are not: a form may ask for anything, and
/// clinical records come only where the consent names them. Nor are persons of the staff and organizations.
public struct IdentifyingData: Sendable {
    /// The rules for places and ages.
    public var pseudonymization: Pseudonymization
    /// The day by which age is counted.
    public var today: DateTime
    /// The rule for attachments.
    public var attachments: AttachmentCleaning

    /// Makes the rule for a day.
    public init(
        today: DateTime, attachments: AttachmentCleaning = AttachmentCleaning(),
        pseudonymization: Pseudonymization = Pseudonymization()
    ) {
        self.today = today
        self.attachments = attachments
        self.pseudonymization = pseudonymization
    }

    /// A resource without what tells who the person is, as far as that can be taken out.
    public struct Reduction: Sendable, Hashable {
        /// The resource; where something was taken out of it, `meta.security` says so (``mark``).
        public let resource: Resource
        /// The elements that were taken out or made less precise, such as `Patient.name`: names of FHIR alone.
        public let reduced: [String]
        /// The elements that cannot be reduced, such as a PDF, with the reasons.
        public let remaining: [AttachmentCleaning.Finding]

        /// Whether nothing was found.
        public var isEmpty: Bool { reduced.isEmpty && remaining.isEmpty }
    }

    /// The security label of a resource that something was taken out of
    /// (<https://terminology.hl7.org/CodeSystem-v3-ObservationValue.html>).
    public static let mark = Coding(
        system: "http://terminology.hl7.org/CodeSystem/v3-ObservationValue", code: "REDACTED", display: "redacted")

    /// Takes out what is found. The time is linear in the resource.
    public func reduce(_ resource: Resource) -> Reduction {
        // 1. Persons, the names beside references, signatures.
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
            let place = path.written(from: type, known: IdentifyingData.isName)
            found += names.map { "\(place).\($0)" }
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

    /// The names that may be told of a place: R4's own. Others are the sender's text.
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

/// What becomes of data that tells who a person is.
public enum IdentifyingDataHandling: String, Sendable, CaseIterable {
    /// It is set aside, whole, for the study team to decide.
    case quarantine
    /// It is reduced before it is stored, and says so.
    case reduce
    /// It is taken: the study holds identified records.
    case accept

    /// The resource as it may be stored.
    ///
    /// - Returns: the resource, and whether it is another than came.
    /// - Throws: ``IdentifyingDataError`` where it may not be stored.
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

/// The reason that a resource may not be stored: it tells who the person is. The sentence names elements, and no value.
public struct IdentifyingDataError: CodedError, Hashable {
    /// The stable code.
    public var code: String { "identifying-data" }
    /// The elements, and what to do.
    public let message: String

    /// How many elements are told.
    private static let shown = 10

    init(_ reduction: IdentifyingData.Reduction) {
        var seen: Set<String> = []
        let places = (reduction.reduced + reduction.remaining.map { "\($0.element) (\($0.error?.code ?? ""))" })
            .filter { seen.insert($0).inserted }
        let more = places.count > Self.shown ? " and \(places.count - Self.shown) more" : ""
        let advice =
            reduction.remaining.isEmpty
            ? "study.json may say that such data is reduced (identifyingData) or held (identifiedRecords)."
            : "The form's item may take attachments as they are (urn:tributary:attachment-as-is)."
        message = """
            It would tell who the person is: \(places.prefix(Self.shown).joined(separator: ", "))\(more). \(advice)
            """
    }
}
