import Core

/// Why a patch is not applied; then nothing of it is. The sentence names the operation and nothing of the resource.
struct PatchError: CodedError, Hashable {
    let code: String
    let message: String

    /// The patch itself is wrong: 400.
    static func invalid(_ sentence: String, _ place: Int? = nil) -> PatchError {
        PatchError(code: "patch-invalid", message: described(sentence, place))
    }

    /// The resource does not have what the patch changes: 422.
    static func notApplicable(_ sentence: String, _ place: Int) -> PatchError {
        PatchError(code: "patch-not-applicable", message: described(sentence, place))
    }

    /// The resource is not as the patch expects: 422.
    static func testFailed(_ place: Int) -> PatchError {
        PatchError(code: "patch-test-failed", message: described("The resource is not as it says.", place))
    }

    static let tooCostly = PatchError(
        code: "too-costly",
        message:
            "The patch copies more than a resource may have, or its paths take too long; send the resource instead.")

    /// The resource would have more bytes than one may have: 413.
    static let tooLarge = PatchError(
        code: "resource-too-large", message: "The patched resource has more bytes than a resource may have.")

    /// The patch changes what the narrative of the resource says, and leaves the narrative: 422.
    static let narrativeStale = PatchError(
        code: "narrative-stale",
        message: """
            The patch changes data and leaves a narrative that a person wrote (text.status additional), which may say \
            something else now; change text in the same patch, or remove it.
            """)

    private static func described(_ sentence: String, _ place: Int?) -> String {
        place.map { "Operation \($0 + 1) of the patch is refused. " + sentence } ?? sentence
    }
}
