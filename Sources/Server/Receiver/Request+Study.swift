import Core
import Foundation
import HTTPTypes
import Hummingbird
import Wire

extension Request {
    /// Submission id in the sender's header, if it is a UUID; the response repeats it.
    var submission: String? {
        headers[.submission].flatMap { UUID(text: $0)?.lowercaseText }
    }
}

extension HTTPField.Name {
    static let pragma = HTTPField.Name(validated: "Pragma")
    static let keys = HTTPField.Name(validated: StudyPath.keysHeader)
    static let epoch = HTTPField.Name(validated: StudyPath.epochHeader)
    static let submission = HTTPField.Name(validated: StudyPath.submissionHeader)
}
