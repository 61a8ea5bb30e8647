import FHIRSearch

extension SearchConditionError {
    /// The error of a page that would include too many resources.
    static let tooManyIncluded = SearchConditionError(
        code: "too-costly",
        message: "This page would include more than \(IncludedRecords.maximumCount) resources; use a lower _count, or "
            + "include fewer types.")
}
