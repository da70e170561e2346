import { adapterTests } from "./kit.js";

adapterTests("openai", { failed: false, hidden: true }) // the SDK makes a text of its own of an error;
