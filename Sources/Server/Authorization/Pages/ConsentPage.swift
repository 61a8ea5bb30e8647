import AccessPolicy
import Core
import Foundation
import Identity
import ServerHTTP

/// The page on which a person decides about the access of an app.
struct ConsentPage {
    /// The times at which access ends.
    struct Ends: Sendable, Hashable {
        /// Without longer access.
        let brief: Date
        /// While the person is signed in.
        let online: Date
        /// With offline access.
        let offline: Date
    }

    let asked: AuthorizationRequest
    let offered: AccessScopes
    let account: UserAccount
    /// The study's title.
    let title: String
    let proof: String
    let message: String?
    let ends: Ends
    /// The person's previous answer, if the page is shown again.
    var answer: Answer?

    /// The answer that a person sent. The page that is shown again keeps its ticks, and adds none.
    struct Answer: Sendable, Hashable {
        let ticked: Set<String>
        let patient: String?
    }

    /// The hidden field with the requested scopes; the boxes use `scope`.
    static let scopesField = "requested_scope"

    var page: Page {
        let words = ScopeWords(isParticipant: account.role == .participant, ends: ends)
        let sections = [
            ("What it may do with records", offered.scopes.filter { $0.resource != nil }, false),
            ("What else it may know and do", offered.scopes.filter(\.isAboutPerson), false),
            ("Sensitive records", offered.scopes.filter(\.isSensitive), true),
        ]
        var body = """
            <p><strong>\(MarkupText.escaped(asked.client.name))</strong> asks for access to records of \
            \(MarkupText.escaped(title)). You are signed in as <strong>\(MarkupText.escaped(account.username))</strong>.</p>

            """
        if let message { body += "<p class=\"warn\" role=\"alert\">\(MarkupText.escaped(message))</p>\n" }
        body += "<form method=\"post\" action=\"consent\">\n"
        body += Page.hidden(asked.fields(scopesIn: Self.scopesField) + [(name: "proof", value: proof)]) + "\n"
        if offered.needPatient, account.patient == nil {
            let chosen = (answer?.patient).map { " value=\"\(MarkupText.escaped($0))\"" } ?? ""
            body += """
                <label class="field">Patient whose records the app is to see (id)
                <input type="text" name="patient" autocomplete="off" autocapitalize="none" spellcheck="false" \
                maxlength="64"\(chosen)></label>

                """
        }
        for (heading, scopes, isSensitive) in sections where !scopes.isEmpty {
            body += "<h2>\(heading)</h2>\n"
            if isSensitive {
                body += """
                    <p class="quiet">Records that are marked as confidential or sensitive stay hidden from the app unless \
                    you tick them.</p>

                    """
            }
            body +=
                "<ul>\n"
                + scopes.map { scope in
                    box(scope, words, isTicked: answer.map { $0.ticked.contains(scope.text) } ?? !isSensitive)
                }.joined() + "</ul>\n"
        }
        body += """
            <h2>Until when</h2>
            <p>\(MarkupText.escaped(until))</p>
            <p class="quiet">When you have decided you are sent to \(MarkupText.escaped(asked.formTarget)). The study team can end the \
            app's access at any time.</p>
            <div class="deeds">
            <button class="main" type="submit" name="decision" value="approve">Let the app have what is ticked</button>
            <button type="submit" name="decision" value="deny">Refuse</button>
            </div>
            <p><button class="link" type="submit" name="decision" value="sign-out">Sign in as somebody else</button></p>
            </form>
            """
        return Page(title: "May this app have access?", body: body, formTargets: [asked.formTarget])
    }

    private func box(_ scope: AccessScope, _ words: ScopeWords, isTicked: Bool) -> String {
        let (text, detail) = words.words(of: scope)
        let more = detail.map { "<span class=\"quiet\">\(MarkupText.escaped($0))</span>" } ?? ""
        return """
            <li><label><input type="checkbox" name="scope" value="\(MarkupText.escaped(scope.text))"\(isTicked ? " checked" : "")>\
            <span>\(MarkupText.escaped(text))</span>\(more)</label></li>

            """
    }

    private var until: String {
        let brief = "The app's access ends on \(ScopeWords.day(ends.brief))"
        if offered.contains(.offlineAccess) {
            return "\(brief), or, if it may keep access while you are away, on \(ScopeWords.day(ends.offline))."
        }
        if offered.contains(.onlineAccess) {
            return "\(brief), or, if it may keep access while you are signed in, on \(ScopeWords.day(ends.online))."
        }
        return brief + "."
    }
}

extension AccessScope {
    /// Whether the scope concerns the person and the app rather than records.
    var isAboutPerson: Bool {
        switch kind {
        case .launchPatient, .openID, .fhirUser, .profile, .offlineAccess, .onlineAccess: true
        case .resource, .confidentiality, .sensitivity, .everySensitivity, .launch, .unrecognized: false
        }
    }

    /// Whether the scope lets an app see more than unlabelled records of normal confidentiality.
    var isSensitive: Bool {
        switch kind {
        case .confidentiality(let level): level > .assumed
        case .sensitivity, .everySensitivity: true
        default: false
        }
    }
}

extension AccessScopes {
    /// Returns the offered scopes that a person ticked. Labels that only narrow are kept, because omitting them would
    /// widen the access.
    func approved(_ ticked: Set<String>) -> AccessScopes {
        keeping(
            Set(
                scopes.filter { scope in
                    if case .confidentiality(let level) = scope.kind, level <= .assumed { return true }
                    return ticked.contains(scope.text)
                }.map(\.text)))
    }
}
