import Testing

@testable import AccessPolicy

@Suite struct PolicyTests {
    /// The caller.
    enum Asker: String, CaseIterable, Sendable {
        case anonymous, unboundDevice, boundDevice, staff, site, participant, practitioner, service, accountHolder

        var actor: Actor? {
            switch self {
            case .anonymous: nil
            case .unboundDevice: Actor(id: "device-1", role: .device, enrolmentID: "e1")
            case .boundDevice:
                Actor(id: "device-1", role: .device, participant: "anna", enrolmentID: "e1")
            case .staff: Actor(id: "staff-1", role: .staff)
            case .site: Actor(id: "account-1", role: .site)
            case .participant: Actor(id: "anna", role: .participant, participant: "anna")
            case .practitioner: Actor(id: "dora", role: .practitioner)
            case .service: Actor(id: "client-1", role: .service)
            case .accountHolder: Actor(id: "anna", role: .accountHolder)
            }
        }
    }

    /// The target.
    enum About: String, CaseIterable, Sendable {
        case nothing, ownClient, otherClient, ownRecord, otherRecord, ownContract, otherContract

        var target: Target {
            switch self {
            case .nothing: Target()
            case .ownClient: Target(resourceID: "device-1")
            case .otherClient: Target(resourceID: "device-2")
            case .ownRecord: Target(resourceType: "Observation", resourceID: "device-1", subject: "anna")
            case .otherRecord: Target(resourceType: "Observation", resourceID: "o", subject: "bert")
            case .ownContract: Target(resourceType: "Contract", resourceID: "c", subject: "anna")
            case .otherContract: Target(resourceType: "Contract", resourceID: "c", subject: "bert")
            }
        }
    }

    /// All permitted combinations; others must be denied.
    static let permitted: [Asker: [Action: Set<About>]] = {
        let anything = Set(About.allCases)
        let ownDeliveries: Set<About> = [.nothing, .ownClient, .ownRecord]
        let withSubject: Set<About> = [.ownRecord, .otherRecord, .ownContract, .otherContract]
        return [
            .anonymous: [.register: anything, .signUp: anything, .registerCsi: anything],
            .accountHolder: [.signIn: anything, .useAccount: [.ownRecord, .ownContract]],
            .unboundDevice: [
                .issueToken: anything, .submit: anything, .readQuestionnaire: anything,
                .readDeliveries: ownDeliveries, .bindParticipant: [.ownContract, .otherContract],
            ],
            .boundDevice: [
                .issueToken: anything, .submit: anything, .readQuestionnaire: anything,
                .readDeliveries: ownDeliveries, .bindParticipant: [.ownContract],
                .writeRecord: [.ownRecord, .ownContract], .linkParticipant: [.ownRecord, .ownContract],
            ],
            .staff: [
                .readRecord: anything, .searchRecords: anything, .readQuestionnaire: anything, .signIn: anything,
                .authorizeApp: anything,
            ],
            .participant: [
                .signIn: anything, .authorizeApp: anything, .createWalletCode: [.ownRecord, .ownContract],
                .listPermissions: [.ownRecord, .ownContract], .endPermission: [.ownRecord, .ownContract],
                .endApproval: [.ownRecord, .ownContract],
            ],
            .practitioner: [.signIn: anything, .authorizeApp: anything],
            .service: [
                .authorizeApp: anything, .manageCsi: anything, .readClaims: anything, .bindWallet: anything,
                .grantPermission: anything, .endPermission: anything, .listPermissions: anything,
            ],
            .site: [
                .loadHealth: withSubject, .manageConsent: withSubject, .manageEnrolments: anything,
                .manageTokens: anything, .manageClients: anything,
                .managePeople: anything, .manageGrants: anything, .listParticipants: anything,
                .readParticipant: withSubject,
                .exportParticipant: withSubject, .deleteParticipant: withSubject,
                .createLink: anything, .listLinks: anything, .exportRecords: anything,
                .retrySubmissions: anything, .discardSubmissions: anything, .manageCsi: anything,
                .assignCsiRole: anything, .listPermissions: anything, .endPermission: anything,
                .createWalletCode: withSubject,
            ],
        ]
    }()

    @Test(arguments: Asker.allCases, Action.allCases)
    func policyPermitsExactlyTheTable(asker: Asker, action: Action) {
        let policy = Policy()
        for about in About.allCases {
            let decision = policy.decide(asker.actor, action: action, target: about.target)
            let expected = Self.permitted[asker]?[action]?.contains(about) ?? false
            #expect(decision.allowed == expected, "\(asker) \(action) \(about): \(decision.reason)")
            #expect((decision.reason == "permitted") == expected)
        }
    }

    @Test func decisionsHaveTheirReason() {
        let policy = Policy()
        let bound = Asker.boundDevice.actor
        #expect(policy.decide(nil, action: .submit, target: Target()).reason == "not-authenticated")
        #expect(policy.decide(Asker.staff.actor, action: .submit, target: Target()).reason == "role-not-permitted")
        #expect(policy.decide(bound, action: .readRecord, target: Target()).reason == "role-not-permitted")
        #expect(policy.decide(bound, action: .writeRecord, target: Target()).reason == "subject-missing")
        #expect(
            policy.decide(bound, action: .writeRecord, target: About.otherRecord.target).reason == "other-participant")
        #expect(
            policy.decide(bound, action: .readDeliveries, target: About.otherClient.target).reason == "other-client")
        #expect(
            policy.decide(bound, action: .bindParticipant, target: About.ownRecord.target).reason == "not-a-contract")
        #expect(
            policy.decide(Asker.unboundDevice.actor, action: .writeRecord, target: About.ownRecord.target).reason
                == "not-bound")
    }
}
