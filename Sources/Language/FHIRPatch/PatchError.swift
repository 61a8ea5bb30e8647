import Core

/// The reason that a patch is refused as a whole. The message names the operation and no content of the resource.
public struct PatchError: CodedError, Hashable {
    /// Stable code for programs, such as `patch-invalid`.
    public let code: String
    /// Message for users; it contains no content of the resource.
    public let message: String

    /// Creates the value from its parts.
    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// The patch itself is wrong: 400.
    package static func invalid(_ sentence: String, _ index: Int? = nil) -> PatchError {
        PatchError(code: "patch-invalid", message: described(sentence, index))
    }

    /// The resource does not have the elements that the patch changes: 422.
    static func notApplicable(_ sentence: String, _ index: Int) -> PatchError {
        PatchError(code: "patch-not-applicable", message: described(sentence, index))
    }

    /// A test of the patch fails on the resource: 422.
    static func testFailed(_ index: Int) -> PatchError {
        PatchError(code: "patch-test-failed", message: described("The resource has another value.", index))
    }

    package static let tooCostly = PatchError(
        code: "too-costly",
        message:
            "The patch copies too many bytes, or its paths take too long; send the resource instead.")

    /// The patched resource exceeds the maximum size: 413.
    package static let tooLarge = PatchError(
        code: "resource-too-large", message: "The patched resource exceeds the maximum size of a resource.")

    /// The patch changes data that the narrative describes, and leaves the narrative: 422.
    static let narrativeStale = PatchError(
        code: "narrative-stale",
        message: """
            The patch changes data and leaves a narrative that a person wrote (text.status additional), which may now \
            contradict the data; change text in the same patch, or remove it.
            """)

    private static func described(_ sentence: String, _ index: Int?) -> String {
        index.map { "Operation \($0 + 1) of the patch is refused. " + sentence } ?? sentence
    }
}
