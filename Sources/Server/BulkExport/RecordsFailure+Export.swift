import FHIRHTTP
import HTTPTypes

extension RecordsFailure {
    package static let asynchronousOnly = RecordsFailure(
        status: .badRequest, issue: .processing, code: "respond-async-missing",
        message: "An export is asynchronous; request it with Prefer: respond-async.")
    static let tooManyExports = RecordsFailure(
        status: .tooManyRequests, issue: .throttled, code: "too-many-exports",
        message: "There are too many exports; wait until one ends, and delete exports that are no longer needed.",
        headers: [.retryAfter: "60"])
    package static let exportUnknown = RecordsFailure(
        status: .notFound, issue: .notFound, code: "export-unknown",
        message: "There is no such export; it may have expired or been cancelled.")
    package static let exportElsewhere = RecordsFailure(
        status: .serviceUnavailable, issue: .transient, code: "export-elsewhere",
        message: "The file is on another server of this study; try again.", headers: [.retryAfter: "5"])
    package static let groupUnknown = RecordsFailure(
        status: .notFound, issue: .notFound, code: "group-unknown", message: "There is no such Group.")
    static let patientUnknown = RecordsFailure(
        status: .badRequest, issue: .notFound, code: "patient-unknown",
        message: "A named patient does not exist, or is not part of the export.")

    /// The error of a failed export, from its stored code.
    package static func exportFailed(_ code: String) -> RecordsFailure {
        let message =
            switch code {
            case "export-too-large": "The files of the export exceed the space for exports."
            case "export-too-long": "The export took too long; request fewer types, or a later _since."
            case "storage-full": "The disk is full; try again later."
            default: "The export could not be finished; request it again."
            }
        return RecordsFailure(status: .internalServerError, issue: .exception, code: code, message: message)
    }
}
