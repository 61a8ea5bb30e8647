import Core
import Foundation

/// The registration in a task result: the answers of ResearchKit's registration step.
///
/// The step is found at any depth: the first result whose `results` contain the items of e-mail address and password. The
/// items have the identifiers of ResearchKit's constants.
///
/// ```swift
/// let registration = try AccountRegistration(in: result)
/// let username = try EmailAddress(registration.email).username
/// ```
public struct AccountRegistration: Sendable, Hashable {
    /// The items of the registration step. The raw value is the identifier.
    public enum Item: String, Sendable, Hashable, CaseIterable {
        /// The e-mail address.
        case email = "ORKRegistrationFormItemEmail"
        /// The password.
        case password = "ORKRegistrationFormItemPassword"
        /// The gender.
        case gender = "ORKRegistrationFormItemGender"
        /// The date of birth.
        case dateOfBirth = "ORKRegistrationFormItemDOB"
        /// The given name.
        case givenName = "ORKRegistrationFormItemGivenName"
        /// The family name.
        case familyName = "ORKRegistrationFormItemFamilyName"
    }

    /// The e-mail address as the person wrote it; ``EmailAddress`` checks it.
    public let email: String
    /// The password.
    public let password: String
    /// The given name; nil without an answer.
    public let givenName: String?
    /// The family name; nil without an answer.
    public let familyName: String?
    /// The value of the chosen gender, such as `female`; nil without an answer.
    public let gender: String?
    /// The date of birth, such as `1980-02-29`, in the time zone of the answer; nil without an answer.
    public let dateOfBirth: String?

    /// Finds the registration in a task result.
    ///
    /// - Throws: ``CMHealthError`` 701 if there is none, or if e-mail address or password have no answer.
    public init(in result: JSON) throws(CMHealthError) {
        for object in ResultTree(result) {
            let answers = Self.answers(in: object)
            guard answers[.email] != nil, answers[.password] != nil else { continue }
            guard let email = answers[.email]?["textAnswer"]?.string, !email.isEmpty,
                let password = answers[.password]?["textAnswer"]?.string, !password.isEmpty
            else { throw .userMissingRegistration }
            self.email = email
            self.password = password
            givenName = answers[.givenName]?["textAnswer"].flatMap(AccountProfile.name)
            familyName = answers[.familyName]?["textAnswer"].flatMap(AccountProfile.name)
            gender = answers[.gender]?["choiceAnswers"]?.array?.first.flatMap(AccountProfile.name)
            dateOfBirth = answers[.dateOfBirth].flatMap(Self.day)
            return
        }
        throw .userMissingRegistration
    }

    /// Returns the results of the registration's items that are elements of an object's `results`. Of several with one
    /// identifier, the first.
    private static func answers(in object: JSONObject) -> [Item: JSONObject] {
        var answers: [Item: JSONObject] = [:]
        for element in object["results"]?.array ?? [] {
            guard let element = element.object, let item = element["identifier"]?.string.flatMap(Item.init),
                answers[item] == nil
            else { continue }
            answers[item] = element
        }
        return answers
    }

    private static func day(of result: JSONObject) -> String? {
        guard let instant = result["dateAnswer"]?.string.flatMap(ResultTime.dateTime) else { return nil }
        return ResultTime.local(instant, zoneSeconds: result["timeZone"]?.integer).dateText
    }
}
