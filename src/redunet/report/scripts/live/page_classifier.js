// The classifier of the page, which several exhibits run: it is made once, when the first of them is drawn.

const pageClassifier = { data: null, made: null };

/** The classifier that an exhibit brings, or that of the page; null where the page has no script for it. */
function classifierOf(exhibit) {
  if (Object.hasOwn(exhibit, "classifier")) return canRun(exhibit.classifier) ? new Classifier(exhibit.classifier) : null;
  if (!canRun(pageClassifier.data)) return null;
  pageClassifier.made ??= new Classifier(pageClassifier.data);
  return pageClassifier.made;
}
