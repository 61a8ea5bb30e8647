import AccessPolicy
import Authorization
import Foundation

/// Plain words for a permission, for an approval, and for rows of the audit.
enum OwnAccessWords {
    /// Returns what a permission lets an app do.
    ///
    /// - Parameters:
    ///   - types: the resource types; nil for all that a permission can have.
    ///   - sensitivities: codes of v3-ActCode.
    static func permission(
        types: [String]?, writes: Bool, confidentiality: Confidentiality, sensitivities: [String]
    ) -> [String] {
        let deed = writes ? "See, add and change" : "See"
        let kinds = types.map { $0.map { "your " + ScopeWords.kind(of: $0) } } ?? ["all your health records"]
        var words = ["\(deed) \(list(kinds))."]
        switch confidentiality {
        case .veryRestricted: words.append("Also records that are restricted or very restricted.")
        case .restricted: words.append("Also records that are restricted.")
        default: break
        }
        if !sensitivities.isEmpty {
            words.append("Also records about \(list(sensitivities.map(ScopeWords.matter))).")
        }
        return words
    }

    /// Returns what an approval lets an app do.
    static func approval(_ scopes: AccessScopes) -> [String] { ScopeWords.sentences(ofOwn: scopes) }

    /// Returns what a row of the audit says.
    ///
    /// - Parameters:
    ///   - role: the role of the caller.
    ///   - amount: number of resources; nil for one.
    static func deed(_ action: String, by role: String?, type: String?, amount: Int64?) -> String {
        let kind = type.map(ScopeWords.kind) ?? "health records"
        let number = amount.map { " (\($0))" } ?? ""
        switch Action(rawValue: action) {
        case .readRecord: return "Read \(kind)\(number)"
        case .searchRecords: return "Searched \(kind)\(number)"
        case .exportRecords, .exportParticipant: return "Exported \(kind)\(number)"
        case .writeRecord: return "Wrote \(kind)\(number)"
        case .loadHealth: return "Loaded health data\(number)"
        case .submit: return "Sent data\(number)"
        case .grantPermission: return "Gave a permission"
        case .endPermission: return "Ended a permission"
        case .endApproval: return "Ended an approval"
        case .authorizeApp: return role == Role.service.rawValue ? "Got access for some minutes" : "Approved an app"
        case .bindWallet: return "Bound a wallet"
        case .createWalletCode: return "Created a wallet code"
        case .listPermissions: return "Listed permissions"
        case .readClaims: return "Read the details that a wallet states"
        case .readParticipant: return "Looked at the state of your participation"
        case .manageConsent: return "Recorded a consent"
        default: return "Another action: \(action)"
        }
    }

    /// Returns who acted: the app, or the kind of person. A service without a registered name uses a token of the site.
    static func reader(client: String?, role: String?, isOwn: Bool) -> String {
        let person: String =
            if isOwn {
                "you"
            } else {
                switch role.flatMap(Role.init(rawValue:)) {
                case .staff: "the study team"
                case .site: "the site's administration"
                case .practitioner: "a practitioner"
                case .participant: "a participant"
                case .device: "your phone"
                case .service: "a program of the site"
                case .accountHolder: "an account holder"
                case nil: "a caller who is not signed in"
                }
            }
        guard let client else { return person.prefix(1).uppercased() + person.dropFirst() }
        return role == Role.service.rawValue || role == Role.device.rawValue ? client : "\(client), for \(person)"
    }

    private static func list(_ words: [String]) -> String {
        words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
    }
}
