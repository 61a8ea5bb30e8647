import FHIR

/// Converts resources of older releases to R4.
///
/// Types with rules: Contract, QuestionnaireResponse (with its older name QuestionnaireAnswers), Questionnaire,
/// Patient, Observation, Device, Encounter, Group, Organization, ValueSet, CodeSystem, Binary, Condition,
/// ReferralRequest and Bundles, alone, contained or in a Bundle. Every other resource type is converted by structure
/// only, and a note reports this: elements that R4 has under the same name and with a compatible type are kept. A type
/// without a successor in R4 becomes a `Basic`. Nothing is lost: content without an element in R4 is put into the
/// official cross-version extension (<https://hl7.org/fhir/R4/versions.html#extensions>) or reported in the notes.
public enum FHIRConversion {
    /// An R4 resource with notes about everything that could not be kept unchanged.
    public struct Converted: Sendable, Hashable {
        /// The resource as R4.
        public let resource: Resource
        /// The notes, in the order of the document.
        public let notes: [ConversionNote]

        /// Creates a result from a resource and its notes.
        public init(resource: Resource, notes: [ConversionNote]) {
            self.resource = resource
            self.notes = notes
        }
    }

    /// The resource types that have rules of their own. Those of ``containedTypes`` also have rules.
    public static let resourceTypes: Set<String> = [
        "Binary", "Bundle", "CodeSystem", "Contract", "Device", "Encounter", "Group", "Observation", "Organization",
        "Patient", "Questionnaire",
        "QuestionnaireAnswers", "QuestionnaireResponse", "ValueSet",
    ]

    /// Resource types with rules that usually are contained in others.
    static let containedTypes: Set<String> = ["Condition", "ReferralRequest"]

    /// Converts a resource to R4. An R4 resource is returned unchanged.
    ///
    /// - Parameter budget: the steps that the conversion may take, one for each element and each note.
    /// - Throws: ``FHIRConversionError`` if the release has no such resource type, or if the budget is exhausted.
    public static func toR4(
        _ resource: Resource, from version: FHIRVersion, budget: StepBudget = .unlimited
    ) throws(FHIRConversionError) -> Converted {
        guard version != .r4 else { return Converted(resource: resource, notes: []) }
        var conversion = ReleaseConversion(from: version, budget: budget)
        guard ResourceNames.newer(resource.resourceType, in: conversion.source) != nil else {
            throw FHIRConversionError.unsupportedType(resource.resourceType, version)
        }
        let object = conversion.resource(resource.object)
        if budget.isExhausted { throw FHIRConversionError.tooExpensive(StepBudgetError(limit: budget.limit)) }
        return Converted(resource: Resource(object), notes: conversion.notes)
    }
}

/// Reason why a resource cannot be converted.
public enum FHIRConversionError: CodedError, Hashable {
    /// The older release has no resources of this type.
    case unsupportedType(String, FHIRVersion)

    /// The conversion takes more steps than its budget.
    case tooExpensive(StepBudgetError)

    /// The stable code, such as `fhir-version-unsupported-type`.
    public var code: String {
        switch self {
        case .unsupportedType: "fhir-version-unsupported-type"
        case .tooExpensive(let error): error.code
        }
    }

    /// A sentence that a person can act on.
    public var message: String {
        switch self {
        case .unsupportedType(let type, let version):
            "Resources of type \(type) are not supported in FHIR \(version.number); send them as R4."
        case .tooExpensive(let error): error.message
        }
    }
}
