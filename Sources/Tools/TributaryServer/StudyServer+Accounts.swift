import Accounts
import Audit
import CareSync
import Foundation
import Identity
import ServerHTTP
import ServiceLifecycle
import Storage
import StudyFiles
import StudyOperations

/// Signals of the deferred work of requests of account holders.
struct AccountWork: Sendable {
    /// Mails are in the queue.
    let mails = ArrivalSignal()
    /// Deletions were requested.
    let deletions = ArrivalSignal()
    /// The requests that wait for changes.
    let waits = AccountWaits()

    func send() {
        Task {
            await mails.send()
            await deletions.send()
        }
    }
}

extension StudyServer {
    /// Whether this process opens the people store: for the routes, and for the deletions, which need `links/` too.
    func opensPeople(_ stores: StudyStores) -> Bool {
        stores.people != nil && !options.roles.isDisjoint(with: [.accounts, .consumer])
    }

    /// Returns the routes of account holders, if this process has the role and the study has accounts.
    func accountRoutes(
        _ opened: OpenStores, limiter: RateLimiter, bodies: BodyBudget, refusals: RefusalCounter?, work: AccountWork
    ) throws -> AccountRoutes? {
        guard options.roles.contains(.accounts), let people = opened.people, let accounts = study.accounts else {
            return nil
        }
        return AccountRoutes(
            store: PeopleStore(
                audit: AuditLog(database: people, clock: clock), groups: accounts.groups, title: study.title,
                arrivals: work.mails),
            antispam: try antispam(), limiter: limiter, bodies: bodies, waits: work.waits,
            refusals: { await refusals?.count($0) }, clock: clock,
            onWork: { work.send() })
    }

    /// Returns the services that send mails and delete accounts, if the study has accounts.
    func accountServices(
        _ opened: OpenStores, stores: StudyStores, registry: PrometheusRegistry, work: AccountWork
    ) throws -> [any Service] {
        guard let people = opened.people, let accounts = study.accounts else { return [] }
        var services: [any Service] = []
        if options.roles.contains(.accounts) {
            let sender: any MailSender =
                if let mail = accounts.mail {
                    try SMTPSender(mail, in: folder.url)
                } else {
                    try MailFolder(folder.mailURL)
                }
            let delivery = MailDelivery(
                queue: MailQueue(database: people, arrivals: work.mails, date: clock), sender: sender, logger: logger,
                metrics: registry)
            services.append(AccountMails { await delivery.run() })
        }
        if options.roles.contains(.consumer) {
            services.append(
                AccountDeletions(
                    deletion: AccountDeletion(stores, people: people, clock: clock), arrivals: work.deletions,
                    logger: logger))
        }
        return services
    }
}

/// Ends the requests that wait for changes when the server stops.
struct AccountWaitsEnding: Service {
    let waits: AccountWaits

    func run() async throws {
        try await gracefulShutdown()
        waits.end()
    }
}
