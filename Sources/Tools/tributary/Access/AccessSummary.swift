import AccessPolicy
import Audit
import Core
import Foundation

/// The accesses to a participant's data in sentences, with one row for equal accesses of a day.
struct AccessSummary {
    /// Maximum number of rows.
    static let maximumRows = 2000

    private struct Row: Hashable {
        let day: String
        let who: String
        let what: String
    }

    private var counts: [Row: Int] = [:]
    private var order: [Row] = []
    /// Whether rows were left out.
    private(set) var isCut = false

    mutating func add(_ entry: AuditEntry) {
        let row = Row(
            day: DateTime(entry.at).dateText, who: Self.who(entry.role),
            what: Self.what(entry.action, on: entry.resourceType) + (entry.isAllowed ? "" : ": refused"))
        if counts[row] == nil {
            guard order.count < Self.maximumRows else {
                isCut = true
                return
            }
            order.append(row)
        }
        counts[row, default: 0] += 1
    }

    /// The rows with day, actor, access and count; the newest first.
    var rows: [[String]] {
        order.map { row in
            let count = counts[row] ?? 1
            return [row.day, row.who, row.what, count == 1 ? "once" : "\(count) times"]
        }
    }

    private static func who(_ role: String?) -> String {
        switch role.flatMap(Role.init(rawValue:)) {
        case .device: "The app on your phone"
        case .staff: "The study team"
        case .site: "The operator of the study's server"
        case .participant: "You, through an app that you signed in to"
        case .practitioner: "A practitioner, through an app"
        case .service: "An app or a wallet on a device, or a server that the study team registered"
        case .accountHolder: "A person with an account"
        case nil: "A caller without an account"
        }
    }

    private static func what(_ action: String, on type: String?) -> String {
        let thing = type.map { ReadableResource.heading(of: $0).lowercased() }
        switch Action(rawValue: action) {
        case .submit: return "Sent data"
        case .readDeliveries: return "Asked for the status of sent data"
        case .readRecord: return "Read \(thing ?? "records")"
        case .searchRecords: return "Searched \(thing ?? "records")"
        case .writeRecord: return "Stored or changed \(thing ?? "records")"
        case .bindParticipant: return "Connected a phone with you"
        case .loadHealth: return "Loaded health data"
        case .manageEnrolments: return "Ended or moved the connection of a phone"
        case .manageConsent: return "Decided about your consent, as you asked"
        case .readParticipant: return "Looked at your consent, devices and counts"
        case .exportParticipant: return "Exported all your data"
        case .exportRecords: return "Exported records of participants"
        case .deleteParticipant: return "Deleted your data"
        case .authorizeApp: return "Gave an app access"
        case .signIn: return "Signed in"
        case .createLink: return "Prepared a link to your record at the hospital"
        case .listLinks: return "Looked up the link to your record at the hospital"
        case .linkParticipant: return "Connected you with your record at the hospital"
        case .createWalletCode: return "Created a code for your wallet"
        case .bindWallet: return "Connected a wallet with you"
        case .readClaims: return "Read what your app states about you"
        case .manageCsi: return "Replaced the key of an app, or ended it"
        case .grantPermission: return "Gave an app a permission"
        case .endPermission: return "Ended a permission"
        case .listPermissions: return "Listed your permissions"
        case .endApproval: return "Ended the access of an app"
        default: break
        }
        let words = action.replacingOccurrences(of: "-", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
