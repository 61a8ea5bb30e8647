/// The files with which an empty study begins. Their names end with `.draft`: the server ignores them.
enum StartingFiles {
    static let all: [(path: String, text: String)] = [
        ("consent/consent.md.draft", consent), ("questionnaires/first-form.json.draft", form),
        ("questionnaires/README.md", readme), ("health-sync.json.draft", healthSync),
    ]

    private static let consent = """
        ---
        # The consent of your study. Replace the texts, then rename the file to consent.md: from then on, people sign it.
        # Every change of the text needs a new version. docs/consent.md describes all members and sections.
        title: The title of your study
        version: "1.0"
        language: en
        # The address that identifies the consent in all its versions. It need not exist in the web.
        url: https://study.example/consent
        team: The name of your research team
        contact:
          - team@study.example
        # yes: the person must answer whether other researchers may use the data. no: the person is not asked.
        asks-for-data-sharing: yes
        # Health data that leaves a phone only if the consent names it: routes, clinical-records, notes, heartbeats.
        # health-data: [routes]
        eligibility:
          - question: Are you 18 years of age or older?
            answer: yes
        ---

        <!-- Each heading begins a section. The first paragraph is the summary on the screen; all that follows is the full
        text. The word in braces is the type of the section. -->

        # Welcome {overview}

        Say in one or two sentences what the study is about, and that it is voluntary.

        Say here what the study wants to find out, and who pays for it.

        # What we collect {data-gathering}

        Say in one sentence which data the study collects.

        The study collects:

        - answers to questions;
        - readings of the phone's health app, if the person permits it.

        # How we protect your data {privacy}

        Say in one sentence who can read the data.

        # What we do with your data {data-use}

        Say in one sentence what the data are used for.

        # Your time {time-commitment}

        Say how long the study takes, and how often people answer.

        # Leaving the study {withdrawing}

        Say how a person leaves the study, and what happens to the data.

        """

    private static let form = """
        {
          "resourceType": "Questionnaire",
          "url": "https://study.example/Questionnaire/first-form",
          "version": "1.0",
          "title": "The title of your form",
          "status": "active",
          "item": [
            {
              "linkId": "sleep",
              "text": "How many hours did you sleep last night?",
              "type": "decimal"
            },
            {
              "linkId": "rested",
              "text": "Do you feel rested?",
              "type": "boolean"
            },
            {
              "linkId": "why-not",
              "text": "What kept you awake?",
              "type": "string",
              "enableWhen": [
                {
                  "question": "rested",
                  "operator": "=",
                  "answerBoolean": false
                }
              ]
            }
          ]
        }

        """

    private static let readme = """
        # Forms

        `first-form.json.draft` is a form with three questions; the third one appears only after the answer no.

        - `url` identifies the form in all its versions, `version` one version of it. Give each change a new version.
        - `linkId` names a question in the answers. Do not change it after the first answer.
        - `type` is boolean, decimal, integer, date, dateTime, time, string, text, choice, quantity, or group.
        - `enableWhen` is the condition under which a question appears.

        Rename the file to `first-form.json`: from then on, phones show it. Try it with `tributary survey run FILE`, and
        check it with `tributary survey check FILE`. docs/forms.md describes the rest.

        """

    private static let healthSync = """
        {
          "types": ["HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierStepCount"],
          "lookBackDays": 30
        }

        """
}
