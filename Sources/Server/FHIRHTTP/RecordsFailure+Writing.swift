import AccessPolicy
import Audit
import FHIR
import FHIRPatch
import FHIRSearch
import HTTPTypes
import RecordStorage

extension RecordsFailure {
    /// Creates the response to a decision that does not permit an interaction.
    package init(_ decision: RecordDecision) {
        switch decision {
        case .permitted, .hidden: self = .notFound
        case .refused(.grantEnded): self = .unauthenticated
        case .refused(let refusal):
            self.init(status: .forbidden, issue: .forbidden, code: refusal.code, message: refusal.message)
        }
    }

    /// Creates the response to a resource that is not admitted.
    package init(_ error: RecordAdmissionError) {
        switch error.kind {
        case .shape: self.init(status: .badRequest, issue: .structure, code: error.code, message: error.message)
        case .rule:
            self.init(
                status: .unprocessableContent, issue: .businessRule, code: error.code, message: error.message)
        case .refused: self.init(status: .forbidden, issue: .forbidden, code: error.code, message: error.message)
        }
        issues = RecordIssue.bounded(error.issues)
    }

    /// Creates the response to a patch that cannot be applied.
    package init(_ error: PatchError) {
        switch error.code {
        case PatchError.tooLarge.code: self = .resourceTooLarge
        case "patch-invalid":
            self.init(status: .badRequest, issue: .processing, code: error.code, message: error.message)
        default:
            self.init(
                status: .unprocessableContent, issue: error == .tooCostly ? .tooCostly : .processing,
                code: error.code, message: error.message)
        }
    }

    /// Creates the response to a body that is not a resource.
    package init(_ error: ResourceError) {
        self.init(status: .badRequest, issue: .structure, code: error.code, message: error.message)
    }

    /// Returns the failure with the index of a Bundle's entry.
    package func of(entry index: Int) -> RecordsFailure {
        RecordsFailure(
            status: status, issue: issue, code: code, message: "Entry \(index + 1) of the Bundle: \(message)",
            headers: headers,
            expression: expression.map { "Bundle.entry[\(index)].resource" + $0.drop { $0 != "." } }
                ?? "Bundle.entry[\(index)]",
            issues: issues.map { $0.inside(entry: index) })
    }

    /// Returns the failure with the type of the resource as its expression, where it has none.
    package func about(_ type: String?) -> RecordsFailure {
        var failure = self
        // An unknown type name is the caller's own text, which no refusal repeats.
        let isKnown = type.map { RecordType.isHeld(String($0.prefix { $0 != "." })) } ?? false
        failure.expression = expression ?? (isKnown ? type : nil)
        return failure
    }

    /// Creates a refusal of the request itself: 400.
    package static func wrong(_ issue: IssueType, code: String, message: String) -> RecordsFailure {
        RecordsFailure(status: .badRequest, issue: issue, code: code, message: message)
    }

    private static func failed(_ issue: IssueType, code: String, message: String) -> RecordsFailure {
        RecordsFailure(status: .preconditionFailed, issue: issue, code: code, message: message)
    }

    package static let criteriaMissing = wrong(
        .required, code: "criteria-missing",
        message: "A conditional request needs a search parameter that identifies its resource.")
    package static let severalMatches = failed(
        .multipleMatches, code: "multiple-matches",
        message: "More than one resource matches; use more specific criteria.")
    package static let versionConflict = failed(
        .conflict, code: "version-conflict",
        message: "The current version is not the one in If-Match; read the resource again.")
    package static let exists = failed(
        .duplicate, code: "record-exists", message: "The resource exists, and If-None-Match requires that it does not.")
    package static let resourceTooLarge = RecordsFailure(
        status: .contentTooLarge, issue: .tooLong, code: "resource-too-large",
        message:
            "The resource would exceed the maximum size after its patch or the replacement of its references.")
    package static let bundleTooLarge = RecordsFailure(
        status: .contentTooLarge, issue: .tooLong, code: "too-costly",
        message: "The resources that the Bundle writes exceed the maximum size together; send several Bundles.")
    package static let criteriaUndecidable = wrong(
        .notSupported, code: "criteria-undecidable",
        message: """
            The search goes beyond the resource's own elements, and the transaction writes resources that it may find; search \
            by elements of the resource itself, or send the writes first.
            """)
    package static let subsetted = RecordsFailure(
        status: .unprocessableContent, issue: .businessRule, code: "subsetted-update",
        message: """
            The body has the tag SUBSETTED: it is a part of the resource, and would replace the whole. Read the resource \
            without _summary and _elements, or send a patch.
            """)
    package static let idTaken = RecordsFailure(
        status: .conflict, issue: .duplicate, code: "id-taken",
        message: "The body has the id of a resource that does not match the search.")
    package static let fullURLTwice = wrong(
        .invalid, code: "full-url-twice",
        message: "Two entries of the Bundle have one fullUrl; references cannot distinguish them.")
    package static let tooManyReferences = wrong(
        .tooCostly, code: "too-costly", message: "Too many references of the Bundle are searches; send several Bundles."
    )
    package static let tooMuchReplaced = wrong(
        .tooCostly, code: "too-costly",
        message: "The resources that the Bundle changes have too many bytes; send several Bundles.")
    /// 429: the app has used up its bytes of the day.
    package static func writeQuota(retryAfter seconds: Int) -> RecordsFailure {
        RecordsFailure(
            status: .tooManyRequests, issue: .throttled, code: "write-quota",
            message: "This app has reached the daily limit of bytes for this patient's records.",
            headers: [.retryAfter: String(seconds)])
    }
    package static let otherID = wrong(
        .invalid, code: "id-mismatch", message: "The id in the body is not that of the target resource.")
    package static let idMissing = wrong(
        .required, code: "id-missing", message: "The body must have the id in the address.")
    package static let idInvalid = wrong(
        .value, code: "id-invalid", message: "An id is 1 to 64 letters, digits, hyphens and dots.")
    package static let otherType = wrong(
        .invalid, code: "type-mismatch", message: "The body is not of the type in the address.")
    package static let identityPatched = RecordsFailure(
        status: .unprocessableContent, issue: .businessRule, code: "patch-of-identity",
        message: "A patch changes neither the type nor the id of a resource.")
    package static let versionTagInvalid = wrong(
        .value, code: "version-tag-invalid",
        message: "If-Match and If-None-Match must be * or version tags such as W/\"1\", separated by commas.")
    package static let referenceUnresolved = failed(
        .notFound, code: "reference-unresolved", message: "A reference by a search does not find exactly one resource.")
    package static let namedTwice = wrong(
        .invalid, code: "resource-named-twice",
        message: "Two entries of the Bundle write the same resource; send one of them.")
    package static let overtaken = RecordsFailure(
        status: .conflict, issue: .conflict, code: "overtaken",
        message: "Other requests changed the same resources at the same time; send the request again.")
    package static let participantDeleted = RecordsFailure(
        status: .forbidden, issue: .forbidden, code: DeletionRegister.code,
        message: "The participant was deleted from this study; no data about them are accepted.")
    package static let formUnknown = RecordsFailure(
        status: .unsupportedMediaType, issue: .notSupported, code: "media-type-unknown",
        message: """
            A resource is sent as application/fhir+json or application/fhir+xml, a patch as application/json-patch+json, \
            application/merge-patch+json or, with Parameters, as a resource.
            """)
    package static let profileMissing = wrong(
        .required, code: "profile-missing",
        message: "The mode profile needs the parameter profile: the URL of a profile.")
    package static let profileUnknown = wrong(
        .notFound, code: "profile-unknown",
        message: "A requested profile is unknown, or unknown in this version; nothing was validated.")
    package static let typePublished = RecordsFailure(
        status: .forbidden, issue: .forbidden, code: "type-published",
        message: "This definition is part of the server and cannot be written.")
    package static let bundleExpected = wrong(
        .invalid, code: "bundle-expected", message: "The root accepts only a Bundle of the type batch or transaction.")
    package static let entryInvalid = wrong(
        .invalid, code: "entry-invalid",
        message: "An entry needs a request with a method and an address such as Patient/1, and for a write a resource.")
}
