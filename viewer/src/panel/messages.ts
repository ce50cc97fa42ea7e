// Messages to the user in the 3D view: at most one per topic.

import { h } from "./dom";

/** The messages that are displayed. */
export class Messages {
  private readonly messages = new Map<string, HTMLElement>();

  constructor(private readonly parent: HTMLElement) {}

  /** Shows a message, which replaces the previous one on the same topic. */
  set(topic: string, text: string): void {
    let message = this.messages.get(topic);
    if (!message) {
      message = h("p");
      this.messages.set(topic, message);
      this.parent.append(message);
    }
    if (message.textContent !== text) message.textContent = text;
  }

  /** Removes the message on a topic. */
  clear(topic: string): void {
    this.messages.get(topic)?.remove();
    this.messages.delete(topic);
  }
}
