/// Access policy: the only code that decides about permissions. Pure; denies everything that is not explicitly
/// permitted.
///
/// An ``AccessGrant`` decides about records, ``TeamGrant``s about the data of other accounts, and an ``Actor``'s role about
/// everything else.
package struct Policy: Sendable {
    package init() {}

    /// Decides about an action. `actor` is nil for an unauthenticated caller.
    ///
    /// The credentials (antispam token, app receipt, client secret) are verified before this call.
    package func decide(_ actor: Actor?, action: Action, target: Target) -> Decision {
        switch (actor?.role, action) {
        case (nil, .register), (nil, .signUp), (nil, .registerCsi): .permitted
        case (nil, _): .denied("not-authenticated")
        case (.device, _): decide(device: actor, action: action, target: target)
        case (.staff, .readRecord), (.staff, .searchRecords), (.staff, .readQuestionnaire): .permitted
        case (.participant, .signIn), (.practitioner, .signIn), (.staff, .signIn), (.participant, .authorizeApp),
            (.practitioner, .authorizeApp), (.staff, .authorizeApp), (.service, .authorizeApp),
            (.accountHolder, .signIn):
            .permitted
        case (.service, .manageCsi), (.service, .readClaims), (.service, .bindWallet), (.service, .grantPermission),
            (.service, .endPermission), (.service, .listPermissions):
            .permitted
        case (.participant, .createWalletCode), (.participant, .listPermissions), (.participant, .endPermission),
            (.participant, .endApproval):
            target.subject == nil || target.subject != actor?.participant
                ? .denied("other-participant") : .permitted
        case (.site, .manageCsi), (.site, .assignCsiRole), (.site, .listPermissions), (.site, .endPermission):
            .permitted
        case (.site, .createWalletCode): target.subject == nil ? .denied("subject-missing") : .permitted
        case (.accountHolder, .useAccount): target.subject == actor?.id ? .permitted : .denied("other-account")
        case (.site, .loadHealth): target.subject == nil ? .denied("subject-missing") : .permitted
        case (.site, .manageEnrolments), (.site, .manageTokens), (.site, .manageClients), (.site, .managePeople),
            (.site, .manageGrants), (.site, .listParticipants), (.site, .createLink), (.site, .listLinks),
            (.site, .exportRecords),
            (.site, .retrySubmissions), (.site, .discardSubmissions):
            .permitted
        case (.site, .manageConsent), (.site, .readParticipant), (.site, .exportParticipant),
            (.site, .deleteParticipant):
            target.subject == nil ? .denied("subject-missing") : .permitted
        case (.site, _), (.staff, _), (.participant, _), (.practitioner, _), (.service, _),
            (.accountHolder, _):
            .denied("role-not-permitted")
        }
    }

    private func decide(device: Actor?, action: Action, target: Target) -> Decision {
        switch action {
        case .issueToken, .submit, .readQuestionnaire:
            .permitted
        case .readDeliveries:
            // The target's id is the client whose deliveries are read; without one, the caller's own.
            target.resourceID == nil || target.resourceID == device?.id
                ? .permitted : .denied("other-client")
        case .writeRecord, .linkParticipant:
            decide(subject: target.subject, participant: device?.participant, mayBind: false)
        case .bindParticipant:
            target.resourceType == "Contract"
                ? decide(subject: target.subject, participant: device?.participant, mayBind: true)
                : .denied("not-a-contract")
        case .register, .readRecord, .searchRecords, .loadHealth, .manageEnrolments, .manageTokens, .manageClients,
            .managePeople, .signIn, .authorizeApp, .manageConsent,
            .listParticipants, .readParticipant, .exportParticipant, .exportRecords, .deleteParticipant, .createLink,
            .listLinks, .retrySubmissions, .discardSubmissions, .signUp, .useAccount, .listPatients, .readProfile,
            .readConsents, .readResults, .readPlan, .changePlan, .manageGrants, .registerCsi, .manageCsi,
            .assignCsiRole, .readClaims, .createWalletCode, .bindWallet, .grantPermission, .endPermission,
            .listPermissions, .endApproval:
            .denied("role-not-permitted")
        }
    }

    private func decide(subject: String?, participant: String?, mayBind: Bool) -> Decision {
        guard let subject else { return .denied("subject-missing") }
        guard let participant else { return mayBind ? .permitted : .denied("not-bound") }
        return subject == participant ? .permitted : .denied("other-participant")
    }
}
