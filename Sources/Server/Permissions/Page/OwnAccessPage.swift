import Authorization
import Core
import Foundation
import Identity
import ServerHTTP

/// The page on which a person sees and ends the access of others to their records, without script.
struct OwnAccessPage {
    let account: UserAccount
    let access: OwnAccess
    /// The study's title.
    let title: String
    /// The proof of its forms.
    let proof: String
    /// Whether it shows the newest looks.
    let isFirst: Bool

    var page: Page {
        Page(
            title: "Access to your records",
            body: """
                <p>Records of \(MarkupText.escaped(title)). You are signed in as <strong>\(MarkupText.escaped(account.username))</strong>.</p>
                \(entries)
                \(wallet)
                \(looks)
                \(footer)
                """)
    }

    private var entries: String {
        var html = "<h2>Access that you can end</h2>\n"
        if access.entries.isEmpty {
            html += "<p>No app and no person has access by a permission or an approval of yours.</p>\n"
        } else {
            html += "<ul>\n" + access.entries.map(item).joined() + "</ul>\n"
        }
        if access.isCut {
            html +=
                "<p class=\"quiet\">These are the newest \(OwnAccess.entryLimit). End some to see the others.</p>\n"
        }
        return html
    }

    private func item(_ entry: OwnAccess.Entry) -> String {
        let origin =
            switch entry.kind {
            case .approval: "You approved it on this site."
            case .permission:
                entry.passedOnBy.map { "Your permission for \(MarkupText.escaped($0)) was passed on to it." }
                    ?? "You gave it by your wallet."
            }
        let use = entry.lastUse.map { "Last used on \(ScopeWords.day($0))." } ?? "Not used lately."
        let button = """
            <form method="post" action="wallet/end">
            \(Page.hidden([("kind", entry.kind.rawValue), ("id", entry.id), ("proof", proof)]))
            <button type="submit" name="end" value="end" aria-label="End the access of \(MarkupText.escaped(entry.name))">\
            End</button>
            </form>
            """
        return """
            <li class="entry" data-access="\(MarkupText.escaped(entry.id))">
            <strong>\(MarkupText.escaped(entry.name))</strong>
            \(entry.words.map { "<p>\(MarkupText.escaped($0))</p>" }.joined(separator: "\n"))
            <p class="quiet">\(origin) From \(ScopeWords.day(entry.start)) until \(ScopeWords.day(entry.end)). \(use)</p>
            \(button)
            </li>

            """
    }

    private var wallet: String {
        """
        <h2>Your wallet</h2>
        <p>A wallet is an app on your phone, with which you give permissions. A code connects it with your records. If you \
        connect a new wallet, it replaces the one before.</p>
        <form method="post" action="wallet/code">
        \(Page.hidden([("proof", proof)]))
        <div class="deeds"><button type="submit" data-action="code">Create a wallet code</button></div>
        </form>

        """
    }

    private var looks: String {
        var html = "<h2>Uses of your records, and changes of access</h2>\n"
        if access.looks.isEmpty {
            html += isFirst ? "<p>No use is on record.</p>\n" : "<p>There are no earlier uses.</p>\n"
        } else {
            html +=
                "<ul>\n"
                + access.looks.map { look in
                    let refused = look.isAllowed ? "" : " <strong>This was refused.</strong>"
                    return """
                        <li class="entry" data-look="\(look.number)">\(MarkupText.escaped(look.deed)): \(MarkupText.escaped(look.reader)).\
                        \(refused) <span class="quiet">\(ScopeWords.day(look.at))</span></li>

                        """
                }.joined() + "</ul>\n"
        }
        if let next = access.nextLooks { html += "<p><a href=\"wallet?before=\(next)\">Earlier uses</a></p>\n" }
        if !isFirst { html += "<p><a href=\"wallet\">Newest uses</a></p>\n" }
        return html
    }

    private var footer: String {
        """
        <h2>Your copy</h2>
        <p><a href="wallet/download" data-action="download">Download this list as a file</a></p>
        <form method="post" action="wallet/sign-out">
        \(Page.hidden([("proof", proof)]))
        <p><button class="link" type="submit">Sign out</button></p>
        </form>
        """
    }

    /// Returns the page that shows a new wallet code, once.
    static func code(_ code: String, minutes: Int) -> Page {
        Page(
            title: "Your wallet code",
            body: """
                <p>Enter this code in the wallet on your phone. It is valid once, for \(minutes) minutes. It is not shown \
                again.</p>
                <pre data-code>\(MarkupText.escaped(code))</pre>
                <p class="quiet">Keep it to yourself: a wallet with this code can give others access to your records.</p>
                <p><a href="../wallet">Back</a></p>
                """)
    }
}
