#!/bin/sh
# The library modules of `make docs`, and the page with links to their references.
#
#   Scripts/make-docs-index.sh --list    the modules' names
#   Scripts/make-docs-index.sh FOLDER    writes FOLDER/index.html
set -eu

# A module, and a sentence about its purpose.
modules() {
    cat <<'END'
FHIR|Reads, changes and writes FHIR R4 resources with all unknown content, and dates and times with their offsets.
UCUM|Reads units of measure and converts between them exactly.
FHIRPath|Evaluates FHIRPath on resources.
FHIRValidation|Validates a resource by the standard and by profiles, with the line of each fault.
FHIRVersions|Converts DSTU2 and STU3 to R4, and reports content that R4 lacks.
JSONQuery|Evaluates JMESPath and JSONPath on any JSON.
FHIRPatch|Changes resources with JSON Patch, merge patch and FHIRPath Patch.
FHIRSearch|Decides whether a resource meets the conditions of a FHIR search.
FHIRXML|Reads and writes the XML form of FHIR R4, on systems with libxml2.
Wire|Seals data for the study's keys before they leave the phone, and has the messages between phone and server.
Questionnaires|Presents a FHIR Questionnaire to a person and makes the QuestionnaireResponse.
FormOperations|Extracts resources from responses to forms, answers forms from health data, and assembles modular forms.
FormRendering|Plans the pages, controls, texts and options of a form for any front end, for the answers so far.
ResearchResults|Checks registrations, consents, results and filters by the rules that an app and its server share.
ResearchKitForms|Makes tasks of ResearchKit from a form, and the QuestionnaireResponse from a task's result, without ResearchKit.
ResearchKitAdapter|Shows forms and consents with ResearchKit on a phone, returns nested, checked QuestionnaireResponses, and converts results to JSON and back.
InformedConsent|Presents a study's consent, checks eligibility, and makes the signed Contract without the person's name.
HealthTypes|Maps HealthKit's types of health data to standard codes and units, and converts between units.
HealthData|Converts samples of HealthKit to Observations with the right codes and units.
SleepNights|Combines the sleep samples of several sources into nights.
HealthSync|Sends each change of HealthKit to stores once, deletions too, also if the app is terminated.
HealthStores|Sends health data to the outbox, FHIR servers, event hubs and files, records the progress, and reads a journal of HealthKit.
HealthKitAdapter|Reads HealthKit on a phone: observers, anchored queries, permissions, and every kind of its objects.
HealthReport|Shows a person's health data as one page: daily aggregates, sleep, heart rate, workouts.
AccountClient|Signs a person up and in, archives consents, saves and finds results, and shows a team its patients.
CarePlans|Has the versions, schedules and events of a care plan in CareKit's JSON, the rules of changes, and a view as FHIR.
CareStores|Stores a care plan on a phone and synchronises it with the other phones and the care team.
Wallet|Gives apps access to a person's records for a limited time, and asks for it: the wallet, the app and their messages.
LocationAdapter|Reduces a person's location to the state and the ZIP area before it leaves the phone.
MotionAdapter|Makes Observations of the minutes that a person walks, runs, cycles, drives, rests and sleeps.
CareKitAdapter|Synchronises CareKit's own store with the other copies of a care plan.
HTTPTransport|Sends HTTP requests over URLSession, without cookies, caches and unbounded answers.
DeviceSystem|Writes files atomically on a phone, locks them, and stores secrets in the Keychain or in files.
FHIRClient|Reads, searches and writes the resources of a FHIR server as typed views, within limits.
Attachments|Removes from pictures who took them, when and where.
Outbox|Queues sealed submissions on the phone, sends them in order, and reads their outcomes.
END
}

case "${1:-}" in
    --list) modules | cut -d '|' -f 1; exit 0 ;;
    "" | -*) sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
esac

mkdir -p "$1"
{
    cat <<'END'
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tributary: reference</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
dt { font-weight: 600; margin-top: 1rem; }
dd { margin: 0; }
</style>
</head>
<body>
<h1>Tributary: reference</h1>
<p>The public interface of each library module. The guides are in the repository, in <code>docs/</code>.</p>
<dl>
END
    modules | while IFS='|' read -r name sentence; do
        page=$(printf %s "$name" | tr '[:upper:]' '[:lower:]')
        printf '<dt><a href="%s/documentation/%s/">%s</a></dt>\n<dd>%s</dd>\n' "$name" "$page" "$name" "$sentence"
    done
    printf '</dl>\n</body>\n</html>\n'
} >"$1/index.html"
