import Core
import Foundation
import HTTPTypes
import Hummingbird
import Wire

extension Request {
    /// The submission that the sender says it is: a UUID, for it is repeated in the answer.
    var submission: String? {
        headers[.submission].flatMap { UUID(text: $0)?.lowercaseText }
    }
}

extension HTTPField.Name {
    static let antispam = HTTPField.Name(validated: "Antispam")
    static let pragma = HTTPField.Name(validated: "Pragma")
    static let keys = HTTPField.Name(validated: StudyPath.keysHeader)
    static let epoch = HTTPField.Name(validated: StudyPath.epochHeader)
    static let submission = HTTPField.Name(validated: StudyPath.submissionHeader)
}
