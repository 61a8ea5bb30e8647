import FHIRHTTP

extension RecordsFailure {
    static let tooMuchRead = wrong(
        .tooCostly, code: "too-costly",
        message: "The Bundle reads more than \(BundleEntry.maximumRead) resources, or too many bytes; send several.")
    static let tooManyEntries = RecordsFailure(
        status: .contentTooLarge, issue: .tooLong, code: "too-many-entries",
        message: "A Bundle may have up to \(BundleEntry.maximumCount) entries; send several Bundles.")
}
