import FHIR

/// Turns resources of older releases into R4.
///
/// Read: Contract, QuestionnaireResponse (with its older name QuestionnaireAnswers), Questionnaire, Patient,
/// Observation, Device, Encounter, Group, Organization, ValueSet, CodeSystem, Binary, Condition, ReferralRequest and
/// Bundles, alone, contained or in a Bundle. Every other resource type is converted by structure only, and a note says
/// so: elements that R4 has under the same name and in a fitting form are kept. A type that R4 has no successor of is a
/// `Basic`. Nothing vanishes: what R4 has no element for stands in the official cross-version extension
/// (<https://hl7.org/fhir/R4/versions.html#extensions>) or is named in the notes.
public enum FHIRConversion {
    /// An R4 resource with what could not be carried over one to one.
    public struct Converted: Sendable, Hashable {
        /// The resource as R4.
        public let resource: Resource
        /// The notes, in the order of the document.
        public let notes: [ConversionNote]

        /// Makes a result of a resource and its notes.
        public init(resource: Resource, notes: [ConversionNote]) {
            self.resource = resource
            self.notes = notes
        }
    }

    /// The resource types that have rules of their own. Those of ``containedTypes`` have them too.
    public static let resourceTypes: Set<String> = [
        "Binary", "Bundle", "CodeSystem", "Contract", "Device", "Encounter", "Group", "Observation", "Organization",
        "Patient", "Questionnaire",
        "QuestionnaireAnswers", "QuestionnaireResponse", "ValueSet",
    ]

    /// Resource types with rules that occur mostly inside of others.
    static let containedTypes: Set<String> = ["Condition", "ReferralRequest"]

    /// The resource as R4. An R4 resource is returned as it is.
    ///
    /// - Parameter budget: the steps that it may take, one for each element and each note.
    /// - Throws: ``FHIRConversionError`` where the release has no such resource type, or the budget is used up.
    public static func toR4(
        _ resource: Resource, from version: FHIRVersion, budget: StepBudget = .unlimited
    ) throws(FHIRConversionError) -> Converted {
        guard version != .r4 else { return Converted(resource: resource, notes: []) }
        var conversion = Conversion(from: version, budget: budget)
        guard ResourceNames.newer(resource.resourceType, in: conversion.source) != nil else {
            throw FHIRConversionError.unsupportedType(resource.resourceType, version)
        }
        let object = conversion.resource(resource.object)
        if budget.isExhausted { throw FHIRConversionError.tooExpensive(StepBudgetError(limit: budget.limit)) }
        return Converted(resource: Resource(object), notes: conversion.notes)
    }
}

/// Why a resource cannot be converted.
public enum FHIRConversionError: CodedError, Hashable {
    /// Resources of this type are not read in the older release.
    case unsupportedType(String, FHIRVersion)

    /// The resource takes more steps than the conversion may.
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
            "Resources of type \(type) are not read in FHIR \(version.number); send them as R4."
        case .tooExpensive(let error): error.message
        }
    }
}
