/// Data of an account that other accounts may read. The raw value is the name in the protocol.
package enum AccountData: String, Sendable, Hashable, CaseIterable {
    case profile
    case photo
    case consents
    case results
    case plan

    /// The audience that may read it.
    package var audience: TeamAudience {
        switch self {
        case .profile, .photo, .plan: .profiles
        case .consents, .results: .research
        }
    }

    /// The action of reading it.
    package var reading: Action {
        switch self {
        case .profile, .photo: .readProfile
        case .consents: .readConsents
        case .results: .readResults
        case .plan: .readPlan
        }
    }
}

/// Readers of the same data of accounts.
package enum TeamAudience: String, Sendable, Hashable, CaseIterable {
    /// Readers of profile, photo and care plan.
    case profiles
    /// Readers of consents and results.
    case research

    /// The data that the audience reads.
    package var data: [AccountData] { AccountData.allCases.filter { $0.audience == self } }
}

/// Role that a grant gives to an account.
package enum TeamRole: String, Sendable, Hashable, CaseIterable {
    /// Reads profile and photo; reads and changes the care plan.
    case careTeam = "care-team"
    /// Reads profile, photo and care plan.
    case observer
    /// Reads consents and results.
    case studyTeam = "study-team"

    /// The audience to which the role belongs.
    package var audience: TeamAudience {
        switch self {
        case .careTeam, .observer: .profiles
        case .studyTeam: .research
        }
    }

    /// Whether the role changes the care plans of the patients that it sees.
    package var changesPlans: Bool { self == .careTeam }
}
