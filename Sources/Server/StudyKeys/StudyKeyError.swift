import Core

/// An error of the folder of keys, or of a key in it.
package struct StudyKeyError: CodedError, Hashable {
    /// Stable code for programs.
    package let code: String
    /// Message for users, without secrets.
    package let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
