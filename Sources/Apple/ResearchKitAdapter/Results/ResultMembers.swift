#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import ResearchKitForms

    /// The members of an object in a result, with the location for errors. A member that is null is absent.
    struct ResultMembers {
        let object: JSONObject
        /// The location, such as `$.results[0].signature`.
        let location: String

        func malformed(_ member: String) -> SurveyResultError {
            SurveyResultError(reason: .malformed, location: "\(location).\(member)")
        }

        /// Returns a member as one type; nil if it is absent.
        private func value<Value>(_ member: String, by read: (JSON) -> Value?) throws(SurveyResultError) -> Value? {
            guard let json = object[member], !json.isNull else { return nil }
            guard let value = read(json) else { throw malformed(member) }
            return value
        }

        func text(_ member: String) throws(SurveyResultError) -> String? { try value(member) { $0.string } }
        func elements(_ member: String) throws(SurveyResultError) -> [JSON]? { try value(member) { $0.array } }

        /// Returns a boolean; a number other than 0 counts as true, as in answers.
        func flag(_ member: String) throws(SurveyResultError) -> Bool? {
            try value(member) { $0.bool ?? $0.number.map { $0.double != 0 } }
        }

        func integer(_ member: String) throws(SurveyResultError) -> Int? {
            try value(member) { $0.integer ?? $0.number.flatMap { Int(exactly: $0.double) } }
        }

        func double(_ member: String) throws(SurveyResultError) -> Double? {
            try value(member) { $0.number.map(\.double).flatMap { $0.isFinite ? $0 : nil } }
        }

        /// Returns a number or a boolean.
        func number(_ member: String) throws(SurveyResultError) -> NSNumber? {
            try value(member) { ResultValues.number($0) }
        }

        func members(_ member: String) throws(SurveyResultError) -> ResultMembers? {
            try value(member) { $0.object }.map { ResultMembers(object: $0, location: "\(location).\(member)") }
        }
    }
#endif
